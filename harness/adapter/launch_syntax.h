// Finds where kernel<<<grid, block>>>(arguments) begins and ends among the tokens of a CUDA file.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/adapter/cuda_text.h"

namespace assay {

// Whether token i is the first < of a <<<: three without a space between, which only launches have.
bool is_launch(const std::vector<Token>& tokens, size_t i);

// The first > of the >>> that belongs to the <<< at `open`; tokens.size() when there is none.
size_t end_of_configuration(const std::vector<Token>& tokens, size_t open);

// The first token of what names the kernel before the <<< at `open`: mine::softmax<T, 4>, (kernel), kernels[i].
size_t begin_of_callee(const std::vector<Token>& tokens, size_t open);

}  // namespace assay
