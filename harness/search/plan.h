// The plan of a check: which cases, in which order. A pure function of suite, selection and seed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/op/contract.h"
#include "harness/op/variant.h"
#include "harness/result/row.h"
#include "harness/search/random_cases.h"
#include "harness/search/shard.h"
#include "harness/search/suite.h"
#include "harness/search/task.h"

namespace assay {

// Which of a suite's cases: those of the device that they run on first, its share of the checked build, or both.
enum class PlanPart : uint8_t { all, first, checked };

// Cases of more than 2^32 elements (huge_cases.h): those that the suite has, one for each variant and dtype after all
// others, or these alone.
enum class HugeCases : uint8_t { of_suite, added, alone };

struct PlanOptions {
  std::vector<std::string> select = {};  // globs; empty: the suite's own
  std::string device = {};               // empty: default_device, and what the suite wants of the checked build
  std::string default_device = "cpu";
  std::optional<int64_t> cases = {};  // per variant and dtype, instead of the suite's count
  uint64_t seed = 1;
  std::vector<std::string> regressions = {};  // folders of saved failures
  Extras extras = {};                         // of every task
  Shard shard = {};
  PlanPart part = PlanPart::all;  // where `device` is empty
  bool by_turns = false;          // variants take turns, so that a run that ends early has tried all of them
  HugeCases huge = HugeCases::of_suite;
};

// Saved failures, then pinned lines, then random cases, of one variant and dtype after the other. With by_turns, all
// lines of files come first; then at any time each variant, dtype and device has had about the same part of its random
// cases. Cases are made as they are asked for, so a plan of a billion of them is there at once.
class Plan {
 public:
  Plan() = default;
  explicit Plan(std::vector<Task> tasks) { parts_.push_back({std::move(tasks), {}, 0}); }

  std::optional<Task> next();               // of the shard; nothing after the last
  int64_t place() const { return place_; }  // of what next() gave: its number among the tasks of all shards, from 0
  int64_t size() const;  // of the shard; at most, until all were asked for: small domains have fewer cases
  std::set<std::string> devices() const;  // of all tasks
  const std::vector<ResultRow>& skipped() const { return skipped_; }
  // The digest of all that decides which cases these are, the same in every shard: "6f0c…", 16 digits.
  const std::string& digest() const { return digest_; }

 private:
  friend class Planner;
  friend Result<Plan> make_plan(const Suite& suite, const PlanOptions& options);

  std::optional<Task> take();
  int64_t tasks() const;  // of all shards

  struct Part {
    std::vector<Task> lines;  // of files
    std::vector<RandomCases> random;
    size_t lines_taken = 0;
  };
  std::vector<Part> parts_;  // one after the other
  bool by_turns_ = false;
  Shard shard_;
  int64_t place_ = -1;
  std::string digest_;
  std::optional<Task> first_;       // taken to see that there is one
  std::vector<ResultRow> skipped_;  // saved failures of variants that this build does not have: SKIPPED, and why
};

// Errors: a selection that matches nothing, a malformed pinned or saved line (with its file), a suite for `assay
// bench`.
Result<Plan> make_plan(const Suite& suite, const PlanOptions& options);

// Variants of `device` that any of the patterns selects; an error when a pattern selects none.
Result<std::vector<const Variant*>> select_variants(const std::vector<std::string>& patterns,
                                                    const std::string& device);

}  // namespace assay
