// The rules of captures.
#include "harness/program/runtime/capture.h"

#include <algorithm>

#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::shared_ptr<Capture>>;
  return all;
}

// The streams go on as if there had been no capture.
void end(const std::shared_ptr<Capture>& capture) {
  capture->is_ended = true;
  for (CUstream_st* const stream : capture->streams) stream->capture = nullptr, stream->tail.clear();
  capture->streams.clear();
  std::erase(captures(), capture);
}

bool is_relaxed(const Capture& capture) { return capture.mode == cudaStreamCaptureModeRelaxed; }

bool has_blocking_stream(const Capture& capture) {
  return std::ranges::any_of(capture.streams,
                             [](const CUstream_st* each) { return (each->flags & kStreamNonBlocking) == 0; });
}

cudaError_t check_legacy() {
  for (const auto& capture : captures())
    if (has_blocking_stream(*capture)) return refuse(*capture, cudaErrorStreamCaptureImplicit);
  return cudaSuccess;
}

// Work that no other stream or call waits for, and the end of the capture would not either.
bool has_unjoined_work(const Capture& capture, const CUstream_st& origin) {
  return std::ranges::any_of(capture.graph->nodes, [&](const auto& node) {
    return node->dependents.empty() && std::ranges::find(origin.tail, node.get()) == origin.tail.end();
  });
}

cudaError_t begin(cudaStream_t handle, std::unique_ptr<CUgraph_st> own, CUgraph_st* graph, const cudaGraphNode_t* tail,
                  size_t count, cudaStreamCaptureMode mode) {
  static uint64_t last_id = 0;
  CUstream_st& stream = stream_of(handle);
  if (is_legacy(handle)) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture != nullptr) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->own = std::move(own), capture->graph = graph, capture->id = ++last_id, capture->origin = &stream;
  capture->mode = mode, capture->thread = std::this_thread::get_id(), capture->streams = {&stream};
  stream.capture = capture, stream.tail.assign(tail, tail + count);
  captures().push_back(capture);
  return cudaSuccess;
}

void add_to_tail(CUstream_st& stream, const Nodes& nodes) {
  for (CUgraphNode_st* const node : nodes)
    if (std::ranges::find(stream.tail, node) == stream.tail.end()) stream.tail.push_back(node);
}

}  // namespace

cudaError_t refuse(Capture& capture, cudaError_t error) {
  capture.is_valid = false;
  return error;
}

cudaError_t check_stream(cudaStream_t handle) {
  const CUstream_st& stream = stream_of(handle);
  if (stream.capture != nullptr) return stream.capture->is_valid ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  return is_legacy(handle) ? check_legacy() : cudaSuccess;
}

cudaError_t check_wait(cudaStream_t handle) {
  const CUstream_st& stream = stream_of(handle);
  if (stream.capture != nullptr) return refuse(*stream.capture, cudaErrorStreamCaptureUnsupported);
  return is_legacy(handle) ? check_legacy() : cudaSuccess;
}

cudaError_t check_device_wait() {
  for (const auto& capture : captures()) refuse(*capture, cudaErrorStreamCaptureUnsupported);
  return captures().empty() ? cudaSuccess : cudaErrorStreamCaptureUnsupported;
}

cudaError_t check_unsafe() {
  cudaError_t error = cudaSuccess;
  for (const auto& capture : captures()) {
    const bool is_own = capture->thread == std::this_thread::get_id();
    const bool forbids =
        thread_mode != cudaStreamCaptureModeRelaxed && !is_relaxed(*capture) &&
        (is_own || (thread_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal));
    if (forbids) error = refuse(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return error;
}

cudaError_t check_synchronous() {
  const cudaError_t error = check_legacy();
  return error != cudaSuccess ? error : check_unsafe();
}

cudaError_t check_event(const CUevent_st& event) {
  if (event.capture == nullptr) return cudaSuccess;
  return refuse(*event.capture, cudaErrorCapturedEvent);
}

cudaError_t record(CUstream_st& stream, const char* name, Work work) {
  const auto node = add_node(*stream.capture->graph, name, std::move(work), stream.tail.data(), stream.tail.size());
  if (!node) return refuse(*stream.capture, node.error());
  stream.tail = {*node};
  return cudaSuccess;
}

void leave_capture(CUstream_st& stream) {
  if (stream.capture == nullptr) return;
  std::erase(stream.capture->streams, &stream);
  if (stream.capture->origin == &stream) end(std::shared_ptr<Capture>(stream.capture));
}

ASSAY_EXPORTED cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", [&](GpuProcess&) {
    auto graph = std::make_unique<CUgraph_st>();
    CUgraph_st* const own = graph.get();
    return begin(stream, std::move(graph), own, nullptr, 0, mode);
  });
}
ASSAY_PER_THREAD(cudaStreamBeginCapture, _ptsz);

ASSAY_EXPORTED cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                         const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                                         size_t count, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCaptureToGraph", [&](GpuProcess&) {
    return graph == nullptr ? cudaErrorInvalidValue : begin(stream, nullptr, graph, dependencies, count, mode);
  });
}
ASSAY_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);

ASSAY_EXPORTED cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", [&](GpuProcess&) {
    if (graph != nullptr) *graph = nullptr;
    CUstream_st& stream = stream_of(handle);
    const std::shared_ptr<Capture> capture = stream.capture;
    if (capture == nullptr) return cudaErrorIllegalState;
    if (capture->origin != &stream) return refuse(*capture, cudaErrorStreamCaptureUnmatched);
    if (!is_relaxed(*capture) && capture->thread != std::this_thread::get_id())
      return refuse(*capture, cudaErrorStreamCaptureWrongThread);
    const bool is_unjoined = capture->own != nullptr && has_unjoined_work(*capture, stream);
    end(capture);
    if (!capture->is_valid) return cudaErrorStreamCaptureInvalidated;
    if (is_unjoined) return cudaErrorStreamCaptureUnjoined;
    if (graph != nullptr) *graph = capture->graph;
    static_cast<void>(capture->own.release());  // it is the program's now
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaStreamEndCapture, _ptsz);

ASSAY_EXPORTED cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                                    unsigned long long* id, cudaGraph_t* graph,
                                                    const cudaGraphNode_t** dependencies,
                                                    const cudaGraphEdgeData** edges, size_t* count) {
  return call("cudaStreamGetCaptureInfo", [&](GpuProcess&) {
    const CUstream_st& stream = stream_of(handle);
    if (status == nullptr) return cudaErrorInvalidValue;
    if (is_legacy(handle) && std::ranges::any_of(captures(), [](auto& each) { return has_blocking_stream(*each); }))
      return cudaErrorStreamCaptureImplicit;
    *status = stream.capture == nullptr   ? cudaStreamCaptureStatusNone
              : !stream.capture->is_valid ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = stream.capture->graph;
    if (dependencies != nullptr) *dependencies = stream.tail.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = stream.tail.size();
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);
ASSAY_PER_THREAD(cudaStreamGetCaptureInfo, _v3);
ASSAY_PER_THREAD(cudaStreamGetCaptureInfo, _v3_ptsz);

// The form of CUDA 12 before 12.3.
ASSAY_EXPORTED cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                       unsigned long long* id, cudaGraph_t* graph,
                                                       const cudaGraphNode_t** dependencies, size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}
ASSAY_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz);

ASSAY_EXPORTED cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
ASSAY_PER_THREAD(cudaStreamIsCapturing, _ptsz);

ASSAY_EXPORTED cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                               const cudaGraphEdgeData* edges, size_t count,
                                                               unsigned flags) {
  return call("cudaStreamUpdateCaptureDependencies", [&](GpuProcess&) {
    constexpr unsigned kSet = 1;
    CUstream_st& stream = stream_of(handle);
    if (is_count(edges)) flags = static_cast<unsigned>(count), count = reinterpret_cast<uintptr_t>(edges);
    if (stream.capture == nullptr) return cudaErrorIllegalState;
    if (flags > kSet || (count != 0 && dependencies == nullptr)) return cudaErrorInvalidValue;
    if (flags == kSet) stream.tail.clear();
    add_to_tail(stream, Nodes(dependencies, dependencies + count));
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);
ASSAY_PER_THREAD(cudaStreamUpdateCaptureDependencies, _v2);
ASSAY_PER_THREAD(cudaStreamUpdateCaptureDependencies, _v2_ptsz);

ASSAY_EXPORTED cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return cudaErrorInvalidValue;
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}

// Events carry dependencies from stream to stream of a capture, and new streams into it.
ASSAY_EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  return call("cudaStreamWaitEvent", [&](GpuProcess&) {
    constexpr unsigned kExternal = 1;
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    CUstream_st& stream = stream_of(handle);
    Capture* const others = event->capture.get();
    if (stream.capture == nullptr) {
      if (others == nullptr) {
        const cudaError_t error = check_stream(handle);
        if (error == cudaSuccess) stream_waits_for_event(handle, *event);
        return error;
      }
      if (others->is_ended) return cudaErrorCapturedEvent;
      if (is_legacy(handle)) return refuse(*others, cudaErrorStreamCaptureImplicit);
      stream.capture = event->capture, stream.tail = event->nodes;
      others->streams.push_back(&stream);
      return cudaSuccess;
    }
    if (!stream.capture->is_valid) return cudaErrorStreamCaptureInvalidated;
    if (flags == kExternal) return record(stream, "cudaStreamWaitEvent", EventWaitWork{event});
    if (others == nullptr || others->is_ended) return refuse(*stream.capture, cudaErrorStreamCaptureIsolation);
    if (others != stream.capture.get()) {
      refuse(*others, cudaErrorStreamCaptureMerge);
      return refuse(*stream.capture, cudaErrorStreamCaptureMerge);
    }
    add_to_tail(stream, event->nodes);
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaStreamWaitEvent, _ptsz);

ASSAY_EXPORTED cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
  return call("cudaEventRecord", [&](GpuProcess&) {
    constexpr unsigned kExternal = 1;
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_stream(handle); error != cudaSuccess) return error;
    CUstream_st& stream = stream_of(handle);
    if (stream.capture == nullptr) {
      record_now(*event);
      event_is_recorded(*event, handle);
    } else if (flags == kExternal) {
      return record(stream, "cudaEventRecord", EventRecordWork{event});
    } else {
      event->is_recorded = false, event->capture = stream.capture, event->nodes = stream.tail;
    }
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaEventRecordWithFlags, _ptsz);
ASSAY_EXPORTED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
ASSAY_PER_THREAD(cudaEventRecord, _ptsz);

}  // namespace assay::program
