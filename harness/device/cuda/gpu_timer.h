// Times of what is queued on a GPU, as an interface: the module implements it with CUDA events and graphs
// (module/timer.cpp), tests with a simulated clock.
//
// One timed region is, all of it queued behind a kernel that waits for the host, so that no launch cost is inside:
//
//   cold: flush the L2 cache (write, then read a buffer of twice its size)   warm: read the work's memory
//   read the clock · event · the runs, one after another · event · read the clock
//
// Nothing of the card's clocks, power or modes is changed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/timing.h"

namespace assay {

struct GpuSpan {
  const void* data = nullptr;
  size_t bytes = 0;
};

// The work in a timed region. Each run queues the same work on the runtime's stream, on tensors of its own: a second
// run on the same tensors would find them in the cache, or changed.
struct GpuWork {
  std::vector<std::function<void()>> runs;
  std::vector<GpuSpan> memory;  // what a warm region finds in the cache
  bool graph = true;            // false: the runs are queued anew for each region, in no graph
};

// Work that is ready to be timed. Must not outlive its timer.
class TimedWork {
 public:
  virtual ~TimedWork() = default;

  // Time of one run, on the average of the region's; waits until it is done. An error where the GPU failed, or where a
  // run waited for the GPU, which nothing that is timed may do.
  virtual Result<TimingSample> time(bool cold) = 0;
};

class GpuTimer {
 public:
  virtual ~GpuTimer() = default;

  // Calls each run once and waits for it, so that libraries have made their plans; then captures all into one graph.
  // Runs that cannot be captured are queued anew for each region.
  virtual Result<std::unique_ptr<TimedWork>> prepare(GpuWork work) = 0;

  // A region that holds an empty graph: what a timed region takes without its runs.
  virtual Result<std::unique_ptr<TimedWork>> prepare_empty() = 0;

  // Each queues work on memory of the GPU on the runtime's stream: a copy by the library's means; and kernels of ours
  // with accesses of 16 bytes, all of them at once. Memory is aligned to 16 bytes, and a rest below 16 bytes is left
  // out.
  virtual Result<void> copy(void* to, const void* from, size_t bytes) = 0;
  virtual Result<void> copy_by_kernel(void* to, const void* from, size_t bytes) = 0;
  virtual Result<void> read_by_kernel(const void* memory, size_t bytes) = 0;
  virtual Result<void> write_by_kernel(void* memory, size_t bytes) = 0;

  virtual double now_s() = 0;  // seconds of a steady clock, for budgets

  // Named ranges on the profiler's timeline (NVTX), nested.
  virtual void begin_range(const std::string& name) = 0;
  virtual void end_range() = 0;
};

// A range for as long as the object lives.
class ProfilerRange {
 public:
  ProfilerRange(GpuTimer& timer, const std::string& name) : timer_(timer) { timer_.begin_range(name); }
  ~ProfilerRange() { timer_.end_range(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;

 private:
  GpuTimer& timer_;
};

}  // namespace assay
