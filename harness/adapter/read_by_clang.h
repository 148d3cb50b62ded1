// Clang's facts about a CUDA file (harness/reader), in the place of those that its text shows.
#pragma once

#include "harness/adapter/adapter.h"
#include "harness/adapter/cuda_text.h"
#include "harness/adapter/kernel_source.h"
#include "harness/adapter/text_source.h"

namespace assay {

// Adds to `source`, which was read from the text: canonical types of the kernels' parameters, what the kernels do with
// them, the instances of templates, kernels that macros make, and launches with the values of what they are computed
// from. It changes nothing where assay_read is not there, and says why where that cannot read the file.
// `kernel`: the one that is wanted, which may be of a header; "": those of the file.
void take_from_clang(const CudaText& text, const std::string& path, const CompileOptions& options,
                     const std::string& kernel, CudaSource& source);

}  // namespace assay
