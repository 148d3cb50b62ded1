// The driver's linker: PTX that is put together to be loaded as one module. What comes out leads to copies of it, which
// last as long as the link.
#include <cstring>
#include <iterator>

#include <fstream>

#include "harness/program/driver/jit_options.h"
#include "harness/program/driver/module.h"
#include "harness/program/runtime/exported.h"

struct CUlinkState_st {
  // As nvcc's wrapper of fat binaries that are linked (image.cpp).
  struct Image {
    unsigned magic = 0x466243b1;
    int version = 2;
    const void* data = nullptr;
    const void* const* parts = nullptr;
  };
  std::vector<std::string> inputs = {};
  std::vector<const void*> parts = {};
  Image image = {};
};

namespace assay::program {
namespace {

enum Input : int { kInputCubin, kInputPtx, kInputFatBinary };
}  // namespace

ASSAY_EXPORTED CUresult cuLinkCreate_v2(unsigned count, int* options, void** values, CUlinkState* state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  answer_jit_options(count, options, values);
  *state = new CUlinkState_st;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuLinkAddData_v2(CUlinkState state, int type, void* data, size_t, const char*, unsigned,
                                         const int*, void**) {
  if (state == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type != kInputPtx && type != kInputFatBinary) return CUDA_ERROR_NOT_SUPPORTED;
  auto added = fat_binaries_at(data);
  if (!added) return added.error();
  std::ranges::move(*added, std::back_inserter(state->inputs));
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char* path, unsigned count,
                                         const int* options, void** values) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return cuLinkAddData_v2(state, type, bytes.data(), bytes.size(), path, count, options, values);
}
ASSAY_EXPORTED CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  if (state == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  state->parts.clear();
  for (const std::string& each : state->inputs) state->parts.push_back(each.data());
  state->parts.push_back(nullptr);
  state->image.parts = state->parts.data();
  *image = &state->image;
  if (bytes != nullptr) *bytes = sizeof state->image;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuLinkDestroy(CUlinkState state) {
  delete state;
  return CUDA_SUCCESS;
}

}  // namespace assay::program
