// The launch of a kernel in its file, in an adapter's terms.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/adapter/bind/infer_launch.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/expression.h"
#include "harness/adapter/read/kernel_source.h"

namespace assay {

class HostLaunch {
 public:
  HostLaunch(const LaunchSource& host, const CudaSource& source, const KernelSource& kernel,
             const std::vector<Match>& matches, const Contract& contract);

  // Fills in what the names of the launch say; `unknown` says what they do not.
  void infer(InferredLaunch& inferred);

  bool has_grid() const { return has_grid_; }
  // The size that its grid is for, where it is for no other: "n = 8"; "" for others.
  const std::string& only_size() const { return only_size_; }
  // The name that leaves the grid open; "" where it is known.
  const std::string& why() const { return why_; }
  std::string remark() const;

  // The launch where names leave its grid open, with values in their places, best first: what a tensor's method or an
  // unknown name counts is a dim that no parameter takes, or 1, or another dim. `shared`: bytes of dynamic shared
  // memory where those are open, too. Each guess is among the launch's guesses.
  std::vector<InferredLaunch> filled(const InferredLaunch& inferred, const std::string& shared) const;

 private:
  void name_by_condition(const std::vector<Token>& tokens);
  void name_by_words(const Contract& contract);
  void replace_computed();
  void replace(std::string text, const std::string& expression);
  void name(const std::string& argument, const std::string& expression);
  Result<std::vector<std::string>> resolve(size_t which) const;
  bool is_of_a_number(const std::vector<std::string>& grid, const std::vector<std::string>& block) const;
  std::string sizes_counted_by_another(const std::vector<std::string>& grid) const;
  std::string size_covered(const std::vector<std::string>& grid, const std::vector<std::string>& block) const;
  std::string rounded_up(const std::string& extent) const;
  void block(InferredLaunch& inferred);
  void keep_to_threads(InferredLaunch& inferred) const;

  const LaunchSource& host_;
  std::vector<std::string> configuration_;  // of it, with the op's names for what it passes computed
  Names names_;
  Names named_;                        // by the launch's own arguments
  std::vector<std::string> computed_;  // those of the launch's arguments that it computes
  std::vector<std::string> untaken_;   // dims that no parameter takes
  std::vector<std::string> others_;    // the other dims, rows first
  std::string elements_;               // of the first output with rows, "T * E"; "" where none has some
  std::map<std::string, std::string, std::less<>> numbers_for_sizes_;  // that the launch passes: "10" for N
  std::map<std::string, int64_t> values_of_sizes_;                     // that the launch always passes, by expressions
  std::set<std::string> guarded_;  // expressions of sizes that the kernel compares something with
  bool shares_memory_ = false;     // dynamically
  bool by_warps_ = false;          // the kernel counts 32 threads
  bool reads_block_ = false;       // the kernel asks for its size
  bool is_of_one_axis_ = false;    // its threads
  bool has_grid_ = false, by_words_ = false;
  bool of_one_run_ = false;  // its function is given nothing, as a main() is, and has sizes of its own
  std::string why_, only_size_;
};

// 13 == 13, as n == 13 is where n is 13.
bool is_of_equals(const std::string& condition);

// Adds those of `conditions` that are about the op's sizes alone to what cases must keep to.
void add_conditions(const std::vector<std::string>& conditions, const Names& names, InferredLaunch& inferred);

}  // namespace assay
