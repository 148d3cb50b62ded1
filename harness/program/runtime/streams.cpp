// Streams and events. Every call is done when it returns, which is an order that CUDA allows, and the only one that is
// tried; times are the host's.
#include "harness/program/runtime/streams.h"

#include <atomic>
#include <chrono>

#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"

namespace assay::program {
namespace {

const auto kLegacy = reinterpret_cast<cudaStream_t>(1), kPerThread = reinterpret_cast<cudaStream_t>(2);

// A question about what is done is a wait, because its answer is that it is.
cudaError_t wait_for(const char* name, cudaStream_t stream) {
  return call(name, [&](GpuProcess&) {
    const cudaError_t error = check_wait(stream);
    if (error == cudaSuccess) host_waits_for_stream(stream);
    return error;
  });
}

cudaError_t wait_for(const char* name, cudaEvent_t event) {
  return call(name, [&](GpuProcess&) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    const cudaError_t error = check_event(*event);
    if (error == cudaSuccess) host_waits_for_event(*event);
    return error;
  });
}

}  // namespace

bool is_legacy(cudaStream_t handle) { return handle == nullptr || handle == kLegacy; }

CUstream_st& stream_of(cudaStream_t handle) {
  static auto& legacy = *new CUstream_st;
  static thread_local CUstream_st per_thread;
  return is_legacy(handle) ? legacy : handle == kPerThread ? per_thread : *handle;
}

void record_now(CUevent_st& event) { event = {.recorded = std::chrono::steady_clock::now(), .is_recorded = true}; }

ASSAY_EXPORTED cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  static std::atomic<unsigned> last = 0;
  *stream = new CUstream_st{.flags = flags, .priority = priority, .number = ++last};
  follow_streams();
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
ASSAY_EXPORTED cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
ASSAY_EXPORTED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", [&](GpuProcess&) {
    if (is_legacy(stream) || stream == kPerThread) return cudaErrorInvalidResourceHandle;
    leave_capture(*stream);
    stream_is_destroyed(*stream);
    delete stream;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_for("cudaStreamSynchronize", stream);
}
ASSAY_PER_THREAD(cudaStreamSynchronize, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamQuery(cudaStream_t stream) { return wait_for("cudaStreamQuery", stream); }
ASSAY_PER_THREAD(cudaStreamQuery, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, size_t, unsigned) {
  return call("cudaStreamAttachMemAsync", [&](GpuProcess&) { return check_wait(stream); });
}
ASSAY_PER_THREAD(cudaStreamAttachMemAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamSetAttribute(cudaStream_t, int, const void*) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaStreamSetAttribute, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = stream_of(stream).flags;
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaStreamGetFlags, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream_of(stream).priority;
  return cudaSuccess;
}
ASSAY_PER_THREAD(cudaStreamGetPriority, _ptsz);
ASSAY_EXPORTED cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  bool is_due = false;  // it is called without the lock: another thread may be what it waits for
  const cudaError_t error = ordered(
      "cudaLaunchHostFunc", stream,
      [&](GpuProcess&) {
        is_due = true;
        host_is_called();
        return cudaSuccess;
      },
      [&](GpuProcess&) -> tl::expected<Work, cudaError_t> {
        return HostWork{{function, data}};
      });
  if (is_due) function(data);
  return error;
}
ASSAY_PER_THREAD(cudaLaunchHostFunc, _ptsz);
ASSAY_EXPORTED cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                                 unsigned) {
  const cudaError_t error = wait_for("cudaStreamAddCallback", stream);
  if (error == cudaSuccess) function(stream, cudaSuccess, data);
  return error;
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
ASSAY_EXPORTED cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_for("cudaEventSynchronize", event); }
ASSAY_EXPORTED cudaError_t cudaEventQuery(cudaEvent_t event) { return wait_for("cudaEventQuery", event); }
ASSAY_EXPORTED cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&](GpuProcess&) {
    for (const cudaEvent_t event : {begin, end})
      if (event != nullptr && event->capture != nullptr) return check_event(*event);
    if (begin == nullptr || end == nullptr || !begin->is_recorded || !end->is_recorded)
      return cudaErrorInvalidResourceHandle;
    host_waits_for_event(*begin), host_waits_for_event(*end);
    *milliseconds = std::chrono::duration<float, std::milli>(end->recorded - begin->recorded).count();
    return cudaSuccess;
  });
}

}  // namespace assay::program
