// Reads from a kernel's body which sizes it is written for: tiles, steps, elements of a thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/bind/candidates/candidate.h"

namespace assay {

// One index that a body computes from its blocks along an axis.
struct AxisIndex {
  char axis = 'x';
  bool counts_threads = false;  // and not blocks alone
  bool is_compared = false;
  int64_t each = 1;  // what one step of the index counts in the bound: 4 in (block * size + thread) * 4 < n
};

class Body {
 public:
  Body(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate);

  const std::vector<Token>& tokens() const { return tokens_; }  // names of a built-in index in its place
  const std::vector<AxisIndex>& indices() const { return indices_; }
  bool uses(std::string_view builtin, char axis) const;
  bool has_word(std::string_view word) const;

  // The largest extent of a shared array of two axes, without what pads its rows; 0 where there is none.
  int64_t tile() const;
  // The steps by which loops walk sizes, and what sizes are divided by, by the parameters that they are: 8 of `for (k =
  // 0; k < K; k += 8)` and of K / 8. With a part of such a step left, a kernel that has no bounds there goes beyond the
  // end.
  std::map<std::string, int64_t> steps() const;
  // Elements that a thread takes at once, as its index or its vector types say.
  int64_t vector_width() const;
  // Whether the threads of a block work together: they wait for each other or exchange data.
  bool cooperates() const;

 private:
  void read(size_t i);
  void find_each(size_t i, AxisIndex& index) const;
  void find_bound(std::string_view name, size_t begin, AxisIndex& index) const;
  std::optional<int64_t> number(const std::vector<Token>& expression) const;
  // Whether a local name is a constant, as the elements of a vector are: `const int width = Vec<T>::size`.
  bool is_width(std::string_view word) const;

  const KernelSource& kernel_;
  Scope scope_;
  std::vector<Token> tokens_;
  std::vector<AxisIndex> indices_;
};

// The parameters that a thread's own index is compared with where it indexes a pointer directly, n of
// `if (i < n) y[i] = x[i]`, and the last such pointer. They count a tensor's elements.
std::map<std::string, std::string> counts_of_elements(const KernelSource& kernel);

// The parameters that a variable is compared with which an earlier parameter bounds, too, and that parameter: width_out
// of `col < width_in` and `col < width_out`. Two names of one size, as what one function returns and the next is given.
std::map<std::string, std::string> second_names(const KernelSource& kernel);

}  // namespace assay
