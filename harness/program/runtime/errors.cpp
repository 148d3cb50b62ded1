// Names and texts of error codes.
#include <map>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"

namespace assay::program {
namespace {

struct ErrorText {
  const char *name, *text;
};

ErrorText text_of(cudaError_t error) {
  static const std::map<cudaError_t, ErrorText> kTexts = {
      {cudaSuccess, {"cudaSuccess", "no error"}},
      {cudaErrorInvalidValue, {"cudaErrorInvalidValue", "invalid argument"}},
      {cudaErrorMemoryAllocation, {"cudaErrorMemoryAllocation", "out of memory"}},
      {cudaErrorInvalidConfiguration, {"cudaErrorInvalidConfiguration", "invalid configuration argument"}},
      {cudaErrorInvalidPitchValue, {"cudaErrorInvalidPitchValue", "invalid pitch argument"}},
      {cudaErrorInvalidSymbol, {"cudaErrorInvalidSymbol", "invalid device symbol"}},
      {cudaErrorInvalidDevicePointer, {"cudaErrorInvalidDevicePointer", "invalid device pointer"}},
      {cudaErrorInvalidTexture, {"cudaErrorInvalidTexture", "invalid texture reference"}},
      {cudaErrorInvalidChannelDescriptor, {"cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"}},
      {cudaErrorInvalidFilterSetting,
       {"cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"}},
      {cudaErrorInvalidSurface, {"cudaErrorInvalidSurface", "invalid surface reference"}},
      {cudaErrorInvalidMemcpyDirection, {"cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"}},
      {cudaErrorInvalidDeviceFunction, {"cudaErrorInvalidDeviceFunction", "invalid device function"}},
      {cudaErrorInvalidDevice, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
      {cudaErrorNoKernelImageForDevice,
       {"cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"}},
      {cudaErrorDeviceUninitialized, {"cudaErrorDeviceUninitialized", "invalid device context"}},
      {cudaErrorMapBufferObjectFailed, {"cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"}},
      {cudaErrorPeerAccessUnsupported,
       {"cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"}},
      {cudaErrorInvalidResourceHandle, {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
      {cudaErrorAssert, {"cudaErrorAssert", "device-side assert triggered"}},
      {cudaErrorNotReady, {"cudaErrorNotReady", "device not ready"}},
      {cudaErrorIllegalState, {"cudaErrorIllegalState", "the operation cannot be performed in the present state"}},
      {cudaErrorStreamCaptureUnsupported,
       {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}},
      {cudaErrorStreamCaptureInvalidated,
       {"cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"}},
      {cudaErrorStreamCaptureMerge,
       {"cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"}},
      {cudaErrorStreamCaptureUnmatched,
       {"cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"}},
      {cudaErrorStreamCaptureUnjoined, {"cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"}},
      {cudaErrorStreamCaptureIsolation,
       {"cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"}},
      {cudaErrorStreamCaptureImplicit,
       {"cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream"}},
      {cudaErrorCapturedEvent,
       {"cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"}},
      {cudaErrorStreamCaptureWrongThread,
       {"cudaErrorStreamCaptureWrongThread",
        "attempt to terminate a thread-local capture sequence from another thread"}},
      {cudaErrorGraphExecUpdateFailure,
       {"cudaErrorGraphExecUpdateFailure",
        "the graph update was not performed because it included changes which violated constraints specific to "
        "instantiated graph update"}},
      {cudaErrorNotSupported, {"cudaErrorNotSupported", "operation not supported"}}};
  const auto found = kTexts.find(error);
  return found == kTexts.end() ? ErrorText{"cudaErrorUnknown", "unrecognized error code"} : found->second;
}

}  // namespace

ASSAY_EXPORTED const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
ASSAY_EXPORTED const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }

}  // namespace assay::program
