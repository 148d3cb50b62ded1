// The fat binaries that nvcc and clang put into a program: images of its kernels for several GPUs, as machine code and
// as PTX.
//
// The container is not documented; this reads what cuobjdump lists of it, as programs by nvcc 11 to 13 have it: a
// header of 16 bytes (magic 0xba55ed50), then for each image a header and its bytes, which are plain, LZ4 or zstd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace assay {

struct PtxImage {
  int architecture = 0;  // 90 of sm_90
  std::string text;
};

// The PTX in fat binaries, one behind the other: of each that has any, the text for the highest architecture that a GPU
// of 9.0 runs, else for the lowest. Errors: one is cut off or damaged, or all hold machine code alone.
Result<std::vector<PtxImage>> ptx_of(std::string_view fat_binaries);

}  // namespace assay
