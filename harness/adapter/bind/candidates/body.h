// Which sizes a kernel's body is written for: tiles, steps, elements of a thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/adapter/bind/candidates/candidate.h"

namespace assay {

class Body {
 public:
  Body(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate);

  const BodyFacts& facts() const { return kernel_.facts; }
  // Whether it compares an index of blocks with anything.
  bool has_bounds() const;

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
  std::optional<int64_t> number(const Terms& sum) const;
  std::optional<int64_t> number(const std::string& text) const;
  int64_t each_of(const Terms& index) const;

  const KernelSource& kernel_;
  Names names_;
};

// The parameters that a thread's own index is compared with where it indexes a pointer directly, n of
// `if (i < n) y[i] = x[i]`, and the last such pointer. They count a tensor's elements.
std::map<std::string, std::string> counts_of_elements(const KernelSource& kernel);

// The parameters that an index is compared with which an earlier parameter bounds, too, and that parameter: width_out
// of `col < width_in` and `col < width_out`. Two names of one size, as what one function returns and the next is given.
std::map<std::string, std::string> second_names(const KernelSource& kernel);

}  // namespace assay
