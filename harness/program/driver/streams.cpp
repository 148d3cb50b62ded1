// Streams, events and captures, which are the runtime's own.
#include "harness/program/driver/result.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/runtime_calls.h"

namespace assay::program {

ASSAY_EXPORTED CUresult cuStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return result_of(cudaStreamCreateWithPriority(stream, flags, priority));
}
ASSAY_EXPORTED CUresult cuStreamCreate(cudaStream_t* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
ASSAY_EXPORTED CUresult cuStreamDestroy(cudaStream_t stream) { return result_of(cudaStreamDestroy(stream)); }
ASSAY_PER_THREAD(cuStreamDestroy, _v2);
ASSAY_EXPORTED CUresult cuStreamSynchronize(cudaStream_t stream) { return result_of(cudaStreamSynchronize(stream)); }
ASSAY_PER_THREAD(cuStreamSynchronize, _ptsz);
ASSAY_EXPORTED CUresult cuStreamQuery(cudaStream_t stream) { return result_of(cudaStreamQuery(stream)); }
ASSAY_PER_THREAD(cuStreamQuery, _ptsz);
ASSAY_EXPORTED CUresult cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return result_of(cudaStreamWaitEvent(stream, event, flags));
}
ASSAY_PER_THREAD(cuStreamWaitEvent, _ptsz);
ASSAY_EXPORTED CUresult cuStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                            unsigned flags) {
  return result_of(cudaStreamAddCallback(stream, function, data, flags));
}
ASSAY_PER_THREAD(cuStreamAddCallback, _ptsz);
ASSAY_EXPORTED CUresult cuLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return result_of(cudaLaunchHostFunc(stream, function, data));
}
ASSAY_PER_THREAD(cuLaunchHostFunc, _ptsz);
ASSAY_EXPORTED CUresult cuStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return result_of(cudaStreamGetFlags(stream, flags));
}
ASSAY_PER_THREAD(cuStreamGetFlags, _ptsz);
ASSAY_EXPORTED CUresult cuStreamGetPriority(cudaStream_t stream, int* priority) {
  return result_of(cudaStreamGetPriority(stream, priority));
}
ASSAY_PER_THREAD(cuStreamGetPriority, _ptsz);

ASSAY_EXPORTED CUresult cuEventCreate(cudaEvent_t* event, unsigned flags) {
  return result_of(cudaEventCreateWithFlags(event, flags));
}
ASSAY_EXPORTED CUresult cuEventDestroy(cudaEvent_t event) { return result_of(cudaEventDestroy(event)); }
ASSAY_PER_THREAD(cuEventDestroy, _v2);
ASSAY_EXPORTED CUresult cuEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return result_of(cudaEventRecordWithFlags(event, stream, flags));
}
ASSAY_PER_THREAD(cuEventRecordWithFlags, _ptsz);
ASSAY_EXPORTED CUresult cuEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}
ASSAY_PER_THREAD(cuEventRecord, _ptsz);
ASSAY_EXPORTED CUresult cuEventSynchronize(cudaEvent_t event) { return result_of(cudaEventSynchronize(event)); }
ASSAY_EXPORTED CUresult cuEventQuery(cudaEvent_t event) { return result_of(cudaEventQuery(event)); }
ASSAY_EXPORTED CUresult cuEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return result_of(cudaEventElapsedTime(milliseconds, begin, end));
}
ASSAY_PER_THREAD(cuEventElapsedTime, _v2);

ASSAY_EXPORTED CUresult cuStreamBeginCapture_v2(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return result_of(cudaStreamBeginCapture(stream, mode));
}
ASSAY_PER_THREAD(cuStreamBeginCapture_v2, _ptsz);
ASSAY_EXPORTED CUresult cuStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return result_of(cudaStreamEndCapture(stream, graph));
}
ASSAY_PER_THREAD(cuStreamEndCapture, _ptsz);
ASSAY_EXPORTED CUresult cuStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return result_of(cudaStreamIsCapturing(stream, status));
}
ASSAY_PER_THREAD(cuStreamIsCapturing, _ptsz);
ASSAY_EXPORTED CUresult cuGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                    unsigned long long flags) {
  return result_of(cudaGraphInstantiateWithFlags(exec, graph, flags));
}
ASSAY_EXPORTED CUresult cuGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return result_of(cudaGraphLaunch(exec, stream));
}
ASSAY_PER_THREAD(cuGraphLaunch, _ptsz);
ASSAY_EXPORTED CUresult cuGraphDestroy(cudaGraph_t graph) { return result_of(cudaGraphDestroy(graph)); }
ASSAY_EXPORTED CUresult cuGraphExecDestroy(cudaGraphExec_t exec) { return result_of(cudaGraphExecDestroy(exec)); }

}  // namespace assay::program
