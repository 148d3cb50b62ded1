// Numbers, names and texts.
#include "harness/program/driver/result.h"

#include <map>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/runtime_calls.h"

namespace assay::program {
namespace {

// The texts are the runtime's, except of errors that it does not have.
const std::map<int, const char*>& names() {
  static const auto& kNames = *new std::map<int, const char*>{{0, "CUDA_SUCCESS"},
                                                              {1, "CUDA_ERROR_INVALID_VALUE"},
                                                              {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                              {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                              {100, "CUDA_ERROR_NO_DEVICE"},
                                                              {101, "CUDA_ERROR_INVALID_DEVICE"},
                                                              {200, "CUDA_ERROR_INVALID_IMAGE"},
                                                              {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                              {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                              {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
                                                              {218, "CUDA_ERROR_INVALID_PTX"},
                                                              {301, "CUDA_ERROR_FILE_NOT_FOUND"},
                                                              {400, "CUDA_ERROR_INVALID_HANDLE"},
                                                              {401, "CUDA_ERROR_ILLEGAL_STATE"},
                                                              {500, "CUDA_ERROR_NOT_FOUND"},
                                                              {600, "CUDA_ERROR_NOT_READY"},
                                                              {710, "CUDA_ERROR_ASSERT"},
                                                              {801, "CUDA_ERROR_NOT_SUPPORTED"},
                                                              {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                                                              {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
                                                              {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"},
                                                              {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
                                                              {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
                                                              {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
                                                              {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
                                                              {907, "CUDA_ERROR_CAPTURED_EVENT"},
                                                              {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
                                                              {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"}};
  return kNames;
}

const std::map<int, const char*> kTexts = {{3, "initialization error"},
                                           {100, "no CUDA-capable device is detected"},
                                           {200, "device kernel image is invalid"},
                                           {201, "invalid device context"},
                                           {218, "a PTX JIT compilation failed"},
                                           {301, "file not found"},
                                           {500, "named symbol not found"}};

}  // namespace

CUresult result_of(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidDevicePointer:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return static_cast<CUresult>(error);
  }
}

ASSAY_EXPORTED CUresult cuGetErrorName(CUresult result, const char** name) {
  const auto found = names().find(result);
  *name = found == names().end() ? nullptr : found->second;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuGetErrorString(CUresult result, const char** text) {
  *text = nullptr;
  if (!names().contains(result)) return CUDA_ERROR_INVALID_VALUE;
  const auto found = kTexts.find(result);
  *text = found != kTexts.end() ? found->second : cudaGetErrorString(static_cast<cudaError_t>(result));
  return CUDA_SUCCESS;
}

}  // namespace assay::program
