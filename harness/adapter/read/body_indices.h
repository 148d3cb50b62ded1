// The indices that a kernel computes from its block and thread, and what it compares them with: they show which threads
// it wants.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/adapter/read/expression.h"

namespace assay {

enum class IndexKind { none, thread, warp, block };  // what there is one of for each value; none: not known

// The right side of `index < …` or `index >= …` at token i; empty where it is no such comparison.
std::vector<Token> compared_with(const std::vector<Token>& tokens, size_t i);

class BodyIndices {
 public:
  BodyIndices(const KernelSource& kernel, Names names);

  const std::vector<Token>& tokens() const { return scope_.text; }  // of the body

  // An index of blocks and threads together that is of no known kind; "" when there is none.
  std::string unknown_index() const;

  // The first index of a kind, and its bound.
  struct Index {
    std::string name;
    Result<std::string> bound;  // the error names what could not be followed; "" when it is compared with nothing
  };
  std::optional<Index> find(IndexKind kind) const;

 private:
  std::string canonical(size_t begin) const;

  Scope scope_;
  std::map<std::string, std::string> indices_;  // their definitions
};

}  // namespace assay
