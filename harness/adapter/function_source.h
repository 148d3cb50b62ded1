// The functions of a CUDA file's text that are no kernels, and what they share with kernels: parameters and template
// heads.
#pragma once

#include <string_view>
#include <vector>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/kernel_source.h"

namespace assay {

inline constexpr size_t kParametersMax = 512;  // of a function that is read; CUDA passes 32 KB at most

// The parameters between the brackets at `open` and `close`. A reference keeps its & in the type.
std::vector<Parameter> read_parameters(const std::vector<Token>& tokens, size_t open, size_t close);

// The > that ends the template head at `open`: unlike in an expression, every < in it opens a list.
size_t end_of_template_head(const std::vector<Token>& tokens, size_t open);

// Names, kinds and defaults of the template parameters between < and >.
void read_template_head(const std::vector<Token>& tokens, size_t open, KernelSource& function);

// Every function with a body but kernels and what stands inside a function, in the order of the text.
std::vector<FunctionSource> functions_of(std::string_view code);

}  // namespace assay
