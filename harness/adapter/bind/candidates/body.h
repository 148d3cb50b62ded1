// Reads from a kernel's body the launch that it is written for: indices, built-in sizes, elements of a thread.
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
  char threads = 0;      // the axis of the threads that it counts as well; 0: none
  char counted_by = 0;   // blockDim's axis in the factor; 0: none
  std::string constant;  // the rest of the factor: "TILE" as its number; "" where there is none
  std::string bound;     // "" where it is compared with nothing that is known
  bool is_compared = false;
  int64_t per_thread = 0;  // the factor of its threads: 8 of block * 64 + thread * 8; 0: not known
  int64_t each = 1;        // what one step of the index counts in the bound: 4 in (block * size + thread) * 4 < n
};

class Body {
 public:
  Body(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate);

  const std::vector<Token>& tokens() const { return tokens_; }  // names of a built-in index in its place
  const Scope& scope() const { return scope_; }
  const std::vector<AxisIndex>& indices() const { return indices_; }
  bool uses(std::string_view builtin, char axis) const;
  bool has_word(std::string_view word) const;

  // Numbers that stand where a block's size would: in indices, template arguments, extents of shared arrays.
  std::vector<std::string> built_in_sizes() const;
  // The one among them that an index has in blockDim's place; "" where none is. The others may as well be sizes of
  // tiles.
  std::string size_in_index() const;
  // The threads of a block along an axis, where an index shares a block's elements out among them: 8 of block * 64 +
  // thread * 8. 0 where none says.
  int64_t threads_along(char axis) const;
  // The largest extent of a shared array of two axes; 0 where there is none.
  int64_t tile() const;
  // A step of a loop over the rows of a tile: "8" of j += BLOCK_ROWS; "" where there is none.
  std::string step() const;
  // The steps by which loops walk sizes, and what sizes are divided by, by the parameters that they are: 8 of `for (k =
  // 0; k < K; k += 8)` and of K / 8. With a part of such a step left, a kernel that has no bounds there goes beyond the
  // end.
  std::map<std::string, int64_t> steps() const;
  // Elements that a thread takes at once, as its index or its vector types say.
  int64_t vector_width() const;
  // Whether the threads of a block work together: they wait for each other or exchange data.
  bool cooperates() const;
  // Whether a loop takes as many steps as its arguments say.
  bool has_open_loop() const;

 private:
  void read(size_t i);
  void factor(size_t begin, size_t end, AxisIndex& index) const;
  void find_each(size_t i, AxisIndex& index) const;
  int64_t number_beside(size_t i) const;
  void find_bound(std::string_view name, size_t begin, AxisIndex& index) const;
  std::optional<int64_t> number(const std::vector<Token>& expression) const;

  const KernelSource& kernel_;
  Scope scope_;
  std::vector<Token> tokens_;
  std::vector<AxisIndex> indices_;
};

// The parameters that a thread's own index is compared with where it indexes a pointer directly, n of
// `if (i < n) y[i] = x[i]`, and the last such pointer. They count a tensor's elements.
std::map<std::string, std::string> counts_of_elements(const KernelSource& kernel);

}  // namespace assay
