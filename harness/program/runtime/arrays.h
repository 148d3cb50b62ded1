// CUDA arrays: images in device memory that programs know by a handle alone.
#pragma once

#include <cstddef>

#include "harness/program/runtime/abi_textures.h"
#include "harness/program/runtime/process.h"
#include "harness/simt/include/simt/textures.h"

// A cudaArray_t points to one.
struct cudaArray {
  assay::simt::Image image;
  cudaChannelFormatDesc format;
  cudaExtent extent;  // as the program gave it: an extent that the array does not have is 0
  unsigned flags;
};

namespace assay::program {

// Sets type, bits and number of the channels. An error: no texture has such texels, or only ones that are not
// supported here.
cudaError_t set_format(simt::Image& image, const cudaChannelFormatDesc& format);

// The array, if it is one that lives; null, with a finding, if it is not. `name`: of the call.
const cudaArray* array_of(GpuProcess& process, const char* name, const cudaArray* array);

}  // namespace assay::program
