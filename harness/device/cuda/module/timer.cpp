// The timer of a real GPU: CUDA graphs and events behind a kernel that waits for the host.
//
// The wait comes first in every region, so whatever the host takes to queue the rest of it is over before the first
// event. The region still includes the time that the GPU itself takes to begin a graph, a microsecond or two for the
// whole region.
#include "harness/device/cuda/module/timer.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <deque>
#include <nvtx3/nvtx3.hpp>
#include <string>
#include <utility>

#include "harness/device/cuda/module/timer_kernels.h"
#include "harness/device/cuda/stream.h"

namespace assay {
namespace {

struct ProfilerDomain {
  static constexpr const char* name = "assay";
};

Result<void> checked(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return {};
  return fail(std::string(what) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")",
              "replay the case under memcheck");
}

double mhz(const ClockSpan& span) {
  return span.ns > 0 ? 1e3 * static_cast<double>(span.cycles) / static_cast<double>(span.ns) : 0;
}

// The state that the regions of one runtime share: the buffer that flushes the cache, the mailbox, the events.
class Region {
 public:
  explicit Region(GpuRuntime& runtime) : runtime_(runtime), stream_(static_cast<cudaStream_t>(runtime.stream())) {}
  ~Region() {
    if (flush_) runtime_.release(flush_);
    if (sink_) runtime_.release(sink_);
    if (mailbox_) cudaFreeHost(mailbox_);
    if (start_) cudaEventDestroy(start_);
    if (stop_) cudaEventDestroy(stop_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  cudaStream_t stream() const { return stream_; }
  uint32_t* sink() const { return static_cast<uint32_t*>(sink_); }

  // Everything that is used later is used here once: CUDA loads a kernel when it is first launched, and that waits for
  // the GPU.
  Result<void> set_up() {
    if (ready_) return {};
    flush_bytes_ = 2 * static_cast<size_t>(std::max<int64_t>(runtime_.info().l2_bytes, 1 << 20));
    for (auto [memory, bytes] : {std::pair{&flush_, flush_bytes_}, std::pair{&sink_, sizeof(uint32_t)}})
      if (!*memory)
        if (const GpuStatus error = runtime_.allocate(bytes, memory))
          return fail("no memory on the GPU for the timer: " + error->text, "take a smaller case");
    if (!mailbox_) {
      void* memory = nullptr;
      if (auto done = checked(cudaHostAlloc(&memory, sizeof(Mailbox), cudaHostAllocMapped), "no memory for the timer");
          !done)
        return done;
      mailbox_ = new (memory) Mailbox();
    }
    for (cudaEvent_t* event : {&start_, &stop_})
      if (!*event) ASSAY_TRY(checked(cudaEventCreate(event), "no event for the timer"));
    mailbox_->go = 1;
    queue_wait(mailbox_, stream_);
    flush();
    queue_clock(&mailbox_->before, stream_);
    auto done = checked(cudaStreamSynchronize(stream_), "the timer does not start");
    if (done) done = checked(cudaGetLastError(), "the timer does not start");
    ready_ = done.has_value();
    return done;
  }

  // Microseconds of what `queue_work` queues, and the clock around it.
  Result<TimingSample> time(bool cold, const std::vector<GpuSpan>& memory,
                            const std::function<cudaError_t()>& queue_work) {
    // Lines that an earlier kernel asked to keep would survive the flush. GPUs without that feature refuse the call.
    if (cudaCtxResetPersistingL2Cache() != cudaSuccess) cudaGetLastError();
    mailbox_->go = 0;
    mailbox_->gave_up = 0;
    queue_wait(mailbox_, stream_);
    if (cold)
      flush();
    else
      for (const GpuSpan& span : memory) queue_read(span.data, span.bytes, sink(), stream_);
    queue_clock(&mailbox_->before, stream_);
    cudaEventRecord(start_, stream_);
    const cudaError_t queued = queue_work();
    cudaEventRecord(stop_, stream_);
    queue_clock(&mailbox_->after, stream_);
    mailbox_->go = 1;
    const cudaError_t finished = cudaStreamSynchronize(stream_);
    for (const cudaError_t error : {queued, finished, cudaGetLastError()})
      ASSAY_TRY(checked(error, "the GPU failed in a timed run"));
    if (mailbox_->gave_up)
      return fail("a timed run waits for the GPU, or takes the host more than a second to queue",
                  "queue all work on current_stream() and let the caller wait");
    float ms = 0;
    ASSAY_TRY(checked(cudaEventElapsedTime(&ms, start_, stop_), "no time between two events"));
    return TimingSample{.us = 1e3 * double{ms}, .sm_mhz = (mhz(mailbox_->before) + mhz(mailbox_->after)) / 2};
  }

 private:
  // Written lines stay in the cache until something displaces them, and would be written back while a kernel is timed;
  // lines that were only read just go.
  void flush() {
    queue_write(flush_, flush_bytes_, stream_);
    queue_read(flush_, flush_bytes_, sink(), stream_);
  }

  GpuRuntime& runtime_;
  cudaStream_t stream_;
  bool ready_ = false;
  void* flush_ = nullptr;
  size_t flush_bytes_ = 0;
  void* sink_ = nullptr;
  Mailbox* mailbox_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

class CudaWork : public TimedWork {
 public:
  CudaWork(Region& region, GpuWork work) : region_(region), work_(std::move(work)) {}
  ~CudaWork() override {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  CudaWork(const CudaWork&) = delete;
  CudaWork& operator=(const CudaWork&) = delete;

  void run() const {
    for (const auto& each : work_.runs) each();
  }

  // Captures a graph, or none when the runs do what a capture does not allow; an error when they queue nothing
  // captured.
  Result<void> capture() {
    cudaStream_t stream = region_.stream();
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return forget_errors();
    run();
    cudaGraph_t captured = nullptr;
    if (cudaStreamEndCapture(stream, &captured) != cudaSuccess) return forget_errors();
    size_t nodes = 0;
    cudaGraphGetNodes(captured, nullptr, &nodes);
    const bool instantiated = cudaGraphInstantiate(&graph_, captured, 0) == cudaSuccess;
    cudaGraphDestroy(captured);
    if (nodes == 0) return fail("nothing is queued on the stream that is timed", "launch on current_stream()");
    if (!instantiated) {
      graph_ = nullptr;
      return forget_errors();
    }
    return checked(cudaGraphUpload(graph_, stream), "the GPU does not take the graph of a timed run");
  }

  // A graph of nothing, for work without runs.
  Result<void> make_empty() {
    cudaGraph_t graph = nullptr;
    ASSAY_TRY(checked(cudaGraphCreate(&graph, 0), "no empty graph"));
    cudaGraphNode_t node = nullptr;
    cudaError_t error = cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
    if (error == cudaSuccess) error = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    return checked(error, "no empty graph");
  }

  Result<TimingSample> time(bool cold) override {
    const auto queue = [&] {
      if (graph_) return cudaGraphLaunch(graph_, region_.stream());
      run();
      return cudaSuccess;
    };
    auto sample = region_.time(cold, work_.memory, queue);
    if (sample) sample->us /= static_cast<double>(std::max<size_t>(work_.runs.size(), 1));
    return sample;
  }

 private:
  static Result<void> forget_errors() {
    cudaGetLastError();
    take_refusal();
    return {};
  }

  Region& region_;
  GpuWork work_;
  cudaGraphExec_t graph_ = nullptr;
};

class CudaTimer : public GpuTimer {
 public:
  explicit CudaTimer(GpuRuntime& runtime) : runtime_(runtime), region_(runtime) {}

  Result<std::unique_ptr<TimedWork>> prepare(GpuWork work) override {
    ASSAY_TRY(region_.set_up());
    const bool in_graph = work.graph;
    auto prepared = std::make_unique<CudaWork>(region_, std::move(work));
    prepared->run();
    if (const GpuStatus error = runtime_.finish()) return fail("the GPU failed: " + error->text);
    if (was_refused()) return fail("a launch was refused");  // the caller takes the reason
    if (!in_graph) return prepared;
    ASSAY_TRY(prepared->capture());
    return prepared;
  }

  Result<std::unique_ptr<TimedWork>> prepare_empty() override {
    ASSAY_TRY(region_.set_up());
    auto prepared = std::make_unique<CudaWork>(region_, GpuWork{});
    ASSAY_TRY(prepared->make_empty());
    return prepared;
  }

  Result<void> copy(void* to, const void* from, size_t bytes) override {
    return checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, region_.stream()),
                   "a copy within the GPU failed");
  }

  Result<void> copy_by_kernel(void* to, const void* from, size_t bytes) override {
    queue_copy(to, from, bytes, region_.stream());
    return queued("the kernel that copies");
  }
  Result<void> read_by_kernel(const void* memory, size_t bytes) override {
    if (auto done = region_.set_up(); !done) return done;  // it has the sink
    queue_read(memory, bytes, region_.sink(), region_.stream());
    return queued("the kernel that reads");
  }
  Result<void> write_by_kernel(void* memory, size_t bytes) override {
    queue_write(memory, bytes, region_.stream());
    return queued("the kernel that writes");
  }

  double now_s() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  void begin_range(const std::string& name) override { ranges_.emplace_back(name); }
  void end_range() override { ranges_.pop_back(); }

 private:
  static Result<void> queued(const char* what) { return checked(cudaPeekAtLastError(), what); }

  GpuRuntime& runtime_;
  Region region_;
  std::deque<nvtx3::scoped_range_in<ProfilerDomain>> ranges_;
};

}  // namespace

std::unique_ptr<GpuTimer> make_cuda_timer(GpuRuntime& runtime) { return std::make_unique<CudaTimer>(runtime); }

}  // namespace assay
