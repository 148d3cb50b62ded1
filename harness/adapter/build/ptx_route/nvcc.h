// nvcc: where it is, and the PTX that it makes of a user's file.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/adapter/prepared.h"

namespace assay {

// The nvcc that is used, which scripts/find_nvcc finds, that of assay's build first; "" where there is none, and then
// why there is none, as tests that skip show it too.
std::string nvcc_here();
Error no_nvcc();

// The PTX of the CUDA file `path`, whole and as it is, with the options of `adapter`; it goes to stem.ptx.
Result<std::string> ptx_of_file(const Adapter& adapter, const std::string& path, const std::string& stem);

struct NvccPtx {
  std::string text;
  std::vector<std::string> left_out = {};  // headers that are not here, and that the kernels do without
};

// The PTX of the file's text with `markers` behind it, which name kernels. The whole file is compiled as it is; where
// that fails, `part`, the pieces that its kernels need ("": nobody knows them), so that host code for libraries that
// are not here is no obstacle. The language is nvcc's own default first, then C++20, unless the options say which.
// `stem`: the beginning of the paths of passing files. The same text with the same options is compiled once in a run:
// headers that change meanwhile are not seen. Errors: no nvcc, or its words.
Result<NvccPtx> ptx_by_nvcc(const Prepared& prepared, const std::string& part, const std::string& markers,
                            const std::string& stem);

// The result of the first call of ptx_by_nvcc for this file and these options; null where there was none, or it failed.
const NvccPtx* first_ptx_by_nvcc(const Prepared& prepared);

}  // namespace assay
