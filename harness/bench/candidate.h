// A variant with the tensors of a case in the GPU's memory, ready to be timed again and again.
//
// A timed region of a short kernel holds several runs, and each has a set of tensors of its own: on the set of the run
// before it would find its inputs in the cache, and in-place tensors already changed. Inputs are shared between
// candidates, set by set; what is written belongs to one.
//
// Every region begins like the first: outputs and workspace poisoned, in-place and accumulated tensors as made from the
// seed. So a run can neither keep results of an earlier one nor work on data that an earlier one has changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/device/cuda/stream.h"
#include "harness/op/variant.h"
#include "harness/tensor/tensor.h"

namespace assay::bench {

// The least time of a region, because an event's time is exact to half a microsecond only (cudaEventElapsedTime).
// Half a per cent of it is what that step comes to.
inline constexpr double kRegionUs = 100;
inline constexpr int kSetsMax = 64;

// How many sets a region needs, for runs that take `run_us` each. A warm region has no more than fit in half of the
// cache together; 1 where not even one does.
int sets_for(double run_us, double set_bytes, double l2_bytes, bool cold);

// Memory of the GPU, released together.
class GpuMemory {
 public:
  explicit GpuMemory(GpuRuntime& runtime) : runtime_(runtime) {}
  ~GpuMemory() { release(); }
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  GpuStatus allocate(size_t bytes, void** memory,
                     size_t offset = 0);  // at least one byte; `offset` after an aligned one
  void release();

 private:
  GpuRuntime& runtime_;
  std::vector<void*> held_;
};

// The data that the candidates of a case share: its tensors as made from the seed, and copies of the inputs on the GPU.
class SharedTensors {
 public:
  // The last two: tensors that the GPU makes itself, by the counter of their data, and poisons (op/made_elsewhere.h).
  SharedTensors(GpuRuntime& runtime, const Tensors& given, std::map<std::string, uint64_t> made_there = {},
                std::set<std::string> poisoned_there = {})
      : runtime_(runtime),
        given_(given),
        made_there_(std::move(made_there)),
        poisoned_there_(std::move(poisoned_there)),
        memory_(runtime) {}

  GpuStatus add_set();
  size_t sets() const { return inputs_.size(); }
  const Tensors& given() const { return given_; }
  void* input(size_t set, size_t tensor) const { return inputs_[set][tensor]; }  // null for a written tensor
  // The contents on the GPU of a written tensor before a run: poison, or its initial values. Null for an input.
  const void* initial(size_t tensor) const { return initial_[tensor]; }

 private:
  GpuStatus fill(const Tensor& tensor, void* memory);

  GpuRuntime& runtime_;
  const Tensors& given_;
  const std::map<std::string, uint64_t> made_there_;
  const std::set<std::string> poisoned_there_;
  GpuMemory memory_;
  std::vector<std::vector<void*>> inputs_;
  std::vector<void*> initial_;
};

class Candidate {
 public:
  // `begins` is called before anything of it runs: a GPU that fails then, fails under it.
  Candidate(
      const Variant& variant, Case c, const SharedTensors& shared, GpuRuntime& runtime, GpuTimer& timer,
      std::function<void()> begins = [] {});

  const Case& c() const { return case_; }

  // Why the last run with an error was not done; nothing where it was a failure of the GPU.
  std::optional<Refusal> refusal() const { return refusal_; }

  GpuStatus add_set();       // one more, up to as many as are shared
  size_t set_bytes() const;  // of GPU memory that a set takes besides what is shared
  void release();            // all of its memory; it does not run any more
  Result<void> prepare();    // after add_set: runs each set once

  // Time of a region over all sets.
  Result<TimingSample> time(bool cold);

  // Likewise; `*written` becomes what the run on `set` has written: the written tensors, in the contract's order.
  // Memory that it has is used.
  Result<TimingSample> time_and_fetch(bool cold, size_t set, Tensors* written);

 private:
  struct Set {
    std::vector<Call::Buffer> buffers;  // in the contract's order
    void* workspace = nullptr;
  };

  Result<void> none_refused();
  Result<void> begin();                      // of a region
  const void* initial(size_t tensor) const;  // on the GPU, what a written tensor holds before a run
  Result<void> fetch(size_t set, Tensors& written);
  std::vector<GpuSpan> spans() const;

  const Variant& variant_;
  const Case case_;
  const SharedTensors& shared_;
  GpuRuntime& runtime_;
  GpuTimer& timer_;
  const std::function<void()> begins_;
  GpuMemory memory_;
  size_t workspace_bytes_ = 0;
  std::vector<Set> sets_;
  std::unique_ptr<TimedWork> work_;
  std::optional<Refusal> refusal_;
};

}  // namespace assay::bench
