// Stream capture: what a stream is given becomes nodes of a graph instead of being done.
//
// The captures of a process are known here, with the rules on what a program may call while one is going on. A call
// that breaks one returns the error that CUDA documents, and the capture is invalid from then on.
#pragma once

#include <memory>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "harness/program/runtime/graph.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/stream_order.h"
#include "harness/program/runtime/streams.h"

namespace assay::program {

struct Capture {
  std::unique_ptr<CUgraph_st> own = {};  // null: it adds to a graph that the program has
  CUgraph_st* graph = nullptr;
  uint64_t id = 0;
  CUstream_st* origin = nullptr;  // where it began
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread = {};  // that began it
  bool is_valid = true, is_ended = false;
  std::vector<CUstream_st*> streams = {};  // that are captured
};

// Whether a call may give work to the stream: it is not the legacy default stream while one that this waits for is
// captured, and no capture of it is invalid.
cudaError_t check_stream(cudaStream_t stream);
// Whether a call may wait for the stream, or ask for its state: it is not captured.
cudaError_t check_wait(cudaStream_t stream);
// Whether a call may wait for the whole device: nothing is captured.
cudaError_t check_device_wait();
// Whether a call may be made that is unsafe while other work is captured, such as cudaMalloc: by the modes of the
// captures and of this thread.
cudaError_t check_unsafe();
// Whether a call may copy or set memory and wait for that: it uses the legacy default stream.
cudaError_t check_synchronous();
// Whether a call may ask about an event: it was not recorded in a capture.
cudaError_t check_event(const CUevent_st& event);
// The stream's capture is broken off, and `error` is why.
cudaError_t refuse(Capture& capture, cudaError_t error);

// Adds work to the graph that the stream is captured into. `name`: the call that gives it.
cudaError_t record(CUstream_st& stream, const char* name, Work work);
// A stream is destroyed: no capture refers to it any more.
void leave_capture(CUstream_st& stream);

// A call that gives work to a stream. `now` does the work, with the process; `later` returns it as data, or an error.
template <class Now, class Later>
cudaError_t ordered(const char* name, cudaStream_t handle, Now now, Later later) {
  return call(name, [&](GpuProcess& process) -> cudaError_t {
    if (const cudaError_t error = check_stream(handle); error != cudaSuccess) return error;
    CUstream_st& stream = stream_of(handle);
    if (stream.capture == nullptr) {
      const GivenWork work(name, handle);
      return now(process);
    }
    tl::expected<Work, cudaError_t> work = later(process);
    return work ? record(stream, name, std::move(*work)) : work.error();
  });
}

// Does the work, or records it.
inline cudaError_t submit(const char* name, cudaStream_t stream, const Work& work) {
  if (std::holds_alternative<CopyWork>(work)) follow_streams();  // the host may be too early
  return ordered(
      name, stream, [&](GpuProcess&) { return run(name, work); },
      [&](GpuProcess&) -> tl::expected<Work, cudaError_t> { return work; });
}

}  // namespace assay::program
