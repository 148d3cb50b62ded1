// CUDA's launches and orders of words in a text for compilers that do not have them.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The same text with `k << <1, 32 >> > (x)` as `k<<<1, 32>>>(x)`, of equal length: nvcc takes both, and an editor that
// formats C++ writes the first.
std::string with_joined_brackets(std::string text);

// The same text with every kernel<<<…>>>(…) replaced by a call that a host compiler understands,
// assay_launch(kernel) assay_configured(…)(…), on the same line.
std::string without_launch_syntax(std::string_view text);

// The same text with `__shared__ alignas(16) float x[4]` as `alignas(16) __shared__ float x[4]`: only nvcc takes the
// first.
std::string with_alignas_first(std::string_view text);

}  // namespace assay
