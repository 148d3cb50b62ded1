// The indices that a kernel computes from its block and thread, and what it compares them with: they show which threads
// it wants.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "harness/adapter/read/expression.h"

namespace assay {

enum class IndexKind { none, thread, warp, block };  // what there is one of for each value; none: not known

// The names that a body compares something with, outside of the heads of loops: a part of a block may be behind them.
std::set<std::string> guarding_names(const BodyFacts& facts);

// The names whose last elements a body treats apart where they are no whole vector: it compares an index with them, and
// that of a vector's last element (`i + 3 < n`), or it counts the elements of whole vectors (`n / 4 * 4`).
std::set<std::string> names_with_rests(const BodyFacts& facts);

class BodyIndices {
 public:
  BodyIndices(const KernelSource& kernel, Names names) : facts_(kernel.facts), names_(std::move(names)) {}

  const BodyFacts& facts() const { return facts_; }

  // An index of blocks and threads together that is of no known kind; "" when there is none.
  std::string unknown_index() const;

  // The first index of a kind along an axis, and its bound.
  struct Index {
    std::string name;
    Result<std::string> bound;  // the error names what could not be followed; "" when it is compared with nothing
  };
  std::optional<Index> find(IndexKind kind, char axis = 'x') const;

 private:
  const BodyFacts& facts_;
  Names names_;
};

}  // namespace assay
