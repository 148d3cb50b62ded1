// The kernels of a CUDA file, as Clang has them (harness/reader).
#pragma once

#include "harness/adapter/adapter.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/kernel_source.h"
#include "harness/adapter/read/text_source.h"

namespace assay {

// Its kernels with canonical types, what they do with their parameters and the instances of their templates, also of
// kernels that macros make; the host functions that launch, with launches over their parameters; constants. `kernel`:
// the one that is wanted, which a header may have and another file launch; "": those of the file. `named`: what an
// adapter names, which is kept among the pieces. A kernel that is only there where macros are defined is read with
// these, `defined`. `is_read` is false where no assay_read is here, or it cannot read the file: not_read() says so.
// Errors: what the file has is no kernel.
Result<CudaSource> read_by_clang(const CudaText& text, const std::string& path, CompileOptions options,
                                 const std::string& kernel, const std::set<std::string>& named = {},
                                 const std::vector<std::string>& defined = {});

Error not_read(const std::string& path);

}  // namespace assay
