// Streams and events. Every call is done when it returns, which is an order that CUDA allows, and the only one that is
// tried; times are the host's.
#include <chrono>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"

using Clock = std::chrono::steady_clock;

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
};
struct CUevent_st {
  Clock::time_point recorded = {};
  bool is_recorded = false;
};

namespace assay::program {

ASSAY_EXPORTED cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  *stream = new CUstream_st{flags, priority};
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
ASSAY_EXPORTED cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
ASSAY_EXPORTED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return call("cudaStreamSynchronize", [](GpuProcess&) { return cudaSuccess; });
}
ASSAY_PER_THREAD(cudaStreamSynchronize, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaStreamQuery, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaStreamWaitEvent, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamSetAttribute(cudaStream_t, int, const void*) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaStreamSetAttribute, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamIsCapturing(cudaStream_t, int* status) {
  *status = 0;
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaStreamIsCapturing, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = stream == nullptr ? 0 : stream->flags;
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaStreamGetFlags, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream == nullptr ? 0 : stream->priority;
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaStreamGetPriority, _ptsz);
ASSAY_EXPORTED cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  function(data);
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaLaunchHostFunc, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                                 unsigned) {
  function(stream, cudaSuccess, data);
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaStreamAddCallback, _ptsz);

ASSAY_EXPORTED cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
ASSAY_EXPORTED cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t, unsigned) {
  return call("cudaEventRecord", [&](GpuProcess&) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    *event = {Clock::now(), true};
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaEventRecordWithFlags, _ptsz);
ASSAY_EXPORTED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
ASSAY_PER_THREAD(cudaEventRecord, _ptsz);
ASSAY_EXPORTED cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return call("cudaEventSynchronize", [](GpuProcess&) { return cudaSuccess; });
}
ASSAY_EXPORTED cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&](GpuProcess&) {
    if (begin == nullptr || end == nullptr || !begin->is_recorded || !end->is_recorded)
      return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(end->recorded - begin->recorded).count();
    return cudaSuccess;
  });
}

}  // namespace assay::program
