// A platform with two simulated GPUs, for tests: memory is the host's, kernels are those of the executor, and planted
// variants of softmax_forward do what a GPU must survive.
//
// It shows that the gpu device, the workers and the command line do the right thing with what a GPU reports; it shows
// nothing about real ones.

#include <cstdlib>
#include <cstring>
#include <map>

#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/device/cuda/module/fill_kernels.h"
#include "harness/device/cuda/stream.h"
#include "harness/op/registry.h"
#include "harness/simt/runtime/executor.h"

namespace assay {
namespace {

constexpr int kGpus = 2;
constexpr size_t kMemory = size_t{64} << 20;
constexpr size_t kAlignment = 256;

class SimulatedRuntime : public GpuRuntime {
 public:
  explicit SimulatedRuntime(int index) {
    info_.index = index;
    info_.name = "simulated GPU";
    info_.capability = 90;
  }
  ~SimulatedRuntime() override {
    for (const auto& [memory, bytes] : allocated_) std::free(memory);
  }

  const GpuInfo& info() const override { return info_; }
  void* stream() const override { return const_cast<SimulatedRuntime*>(this); }

  GpuStatus allocate(size_t bytes, void** memory) override {
    if (error_) return error_;
    if (bytes > free_bytes()) return GpuError{2, "out of memory (cudaErrorMemoryAllocation)", false, true};
    *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    allocated_[*memory] = bytes;
    return std::nullopt;
  }
  void release(void* memory) override {
    allocated_.erase(memory);
    std::free(memory);
  }
  size_t free_bytes() override {
    size_t used = 0;
    for (const auto& [memory, bytes] : allocated_) used += bytes;
    return kMemory - used;
  }
  GpuStatus upload(void* device, const void* host, size_t bytes) override { return copy(device, host, bytes); }
  GpuStatus download(void* host, const void* device, size_t bytes) override { return copy(host, device, bytes); }
  GpuStatus poison(void* device, size_t bytes) override {
    if (!error_) std::memset(device, 0xff, bytes);
    return error_;
  }
  GpuStatus fill_normal(void* device, int64_t count, DType dtype, uint64_t counter) override {
    simt::Context context;
    const simt::ContextScope scope(context);
    queue_normal(device, count, dtype, counter);
    return error_;
  }
  GpuStatus finish() override {
    while (hangs_) {
    }
    return error_;
  }

  // Kernels call these.
  void fault(int code, const char* text) { error_ = GpuError{code, text, true, false}; }
  void hang() { hangs_ = true; }

 private:
  GpuStatus copy(void* to, const void* from, size_t bytes) {
    if (!error_) std::memcpy(to, from, bytes);
    return error_;
  }

  GpuInfo info_;
  std::map<void*, size_t> allocated_;
  GpuStatus error_;
  volatile bool hangs_ = false;
};

// A clock on which every run takes 25 microseconds, give or take a few that repeat, and all that is around a region ten
// milliseconds: the executor is slow, and few regions shall be enough.
class SimulatedTimer : public GpuTimer {
 public:
  explicit SimulatedTimer(SimulatedRuntime& runtime) : runtime_(runtime) {}

  Result<std::unique_ptr<TimedWork>> prepare(GpuWork work) override {
    for (const auto& run : work.runs) run();
    if (const GpuStatus error = runtime_.finish()) return fail("the GPU failed: " + error->text);
    return std::make_unique<Work>(*this, std::move(work));
  }
  Result<void> copy(void* to, const void* from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> copy_by_kernel(void* to, const void* from, size_t bytes) override { return copy(to, from, bytes); }
  Result<void> read_by_kernel(const void*, size_t) override { return {}; }
  Result<void> write_by_kernel(void* memory, size_t bytes) override {
    std::memset(memory, 0, bytes);
    return {};
  }
  Result<std::unique_ptr<TimedWork>> prepare_empty() override { return std::make_unique<Work>(*this, GpuWork{}); }
  double now_s() override { return 1e-6 * now_us_; }
  void begin_range(const std::string&) override {}
  void end_range() override {}

 private:
  class Work : public TimedWork {
   public:
    Work(SimulatedTimer& timer, GpuWork work) : timer_(timer), work_(std::move(work)) {}

    Result<TimingSample> time(bool) override {
      for (const auto& run : work_.runs) run();
      if (const GpuStatus error = timer_.runtime_.finish()) return fail("the GPU failed: " + error->text);
      const double us = 25 + 0.01 * (regions_++ % 7);
      timer_.now_us_ += 10e3 + us * static_cast<double>(work_.runs.size());
      return TimingSample{.us = us, .sm_mhz = 1000};
    }

   private:
    SimulatedTimer& timer_;
    GpuWork work_;
    int regions_ = 0;
  };

  SimulatedRuntime& runtime_;
  double now_us_ = 0;
};

class SimulatedPlatform : public GpuPlatform {
 public:
  Result<int> count() override {
    if (std::getenv("ASSAY_SIMULATED_OLD_DRIVER"))
      return fail("no NVIDIA driver, or one older than CUDA 13.0, is installed", "use --device cpu, or a newer driver");
    return kGpus;
  }
  Result<std::unique_ptr<GpuRuntime>> open(int index) override { return std::make_unique<SimulatedRuntime>(index); }
  std::unique_ptr<GpuTimer> timer(GpuRuntime& runtime) override {
    return std::make_unique<SimulatedTimer>(static_cast<SimulatedRuntime&>(runtime));
  }
};

// The executor's variant `run` as a kernel of the simulated GPU.
std::function<void(Call&)> on_the_executor(std::function<void(Call&)> run) {
  return [run = std::move(run)](Call& call) {
    simt::Context context;
    {
      const simt::ContextScope scope(context);
      run(call);
    }
    if (!context.findings.empty()) note_refused_launch(context.findings.front().detail);
  };
}

SimulatedRuntime& current_gpu() { return *static_cast<SimulatedRuntime*>(current_stream()); }

void plant(const Variant& right, const std::string& name, const std::string& summary,
           std::function<void(Call&)> after) {
  Variant variant = right;
  variant.name = name;
  variant.summary = summary;
  variant.run = [run = right.run, after = std::move(after)](Call& call) {
    run(call);
    after(call);
  };
  register_variant(variant);
}

// More than the check before a bench makes of one case, and fewer than are timed.
constexpr int kRunsOfACheck = 25;

// Plants errors that end a context: every later call of the process fails.
void plant_losses(const Variant& right) {
  const struct {
    const char* name;
    int code;
    const char* text;
  } losses[] = {{"reads_far_away", 700, "an illegal memory access was encountered (cudaErrorIllegalAddress)"},
                {"reads_misaligned", 716, "misaligned address (cudaErrorMisalignedAddress)"},
                {"asserts", 710, "device-side assert triggered (cudaErrorAssert)"},
                {"takes_too_long", 702, "the launch timed out and was terminated (cudaErrorLaunchTimeout)"},
                {"loses_the_gpu", 214, "uncorrectable ECC error encountered (cudaErrorECCUncorrectable)"}};
  for (const auto& loss : losses)
    plant(right, loss.name, loss.text, [loss](Call&) {
      current_gpu().fault(loss.code, loss.text);
      note_refused_launch("launch of the next kernel: " + std::string(loss.text));  // as CUDA then says of every launch
    });
}

const struct Registered {
  Registered() {
    static SimulatedPlatform platform;
    register_gpu_platform(platform);
    for (const Variant* cpu : variants()) {
      if (cpu->device != "cpu") continue;
      Variant gpu = *cpu;
      gpu.device = "gpu";
      gpu.run = on_the_executor(cpu->run);
      register_variant(gpu);
    }
    const Variant* right = find_variant("softmax_forward", "block_per_row", "gpu");
    if (!right) return;  // a test program without kernels
    plant_losses(*right);
    plant(*right, "never_ends", "a kernel that hangs", [](Call&) { current_gpu().hang(); });
    plant(*right, "is_refused", "a launch that the GPU refuses", [](Call&) { note_refused_launch("launch refused"); });
    plant(*right, "has_no_plan", "a case that a library cannot do",
          [](Call&) { note_refusal(Refusal::no_plan, "no engine supports the graph (CUDNN_STATUS_NOT_SUPPORTED)"); });
    plant(*right, "has_no_scratch", "a library's workspace that does not fit",
          [](Call&) { note_refusal(Refusal::no_memory, "a workspace of 99 bytes: out of memory"); });
    plant(*right, "is_lost_when_timed", "an illegal access that only many runs come to", [](Call&) {
      static int runs = 0;
      if (++runs > kRunsOfACheck) current_gpu().fault(700, "an illegal memory access was encountered");
    });
    plant(*right, "hangs_when_timed", "a hang that only many runs come to", [](Call&) {
      static int runs = 0;
      if (++runs > kRunsOfACheck) current_gpu().hang();
    });
    Variant wide = *right;
    wide.name = "takes_too_much";
    wide.workspace_bytes = [](const Case&) { return int64_t{2 * kMemory}; };
    register_variant(wide);
    Variant without = *right;
    without.name = "lacks_its_library";
    without.unsupported = [](const Case&) { return std::optional<std::string>("cuNone (libcunone.so) was not found"); };
    register_variant(without);
    plant(*right, "writes_past_the_end", "one element too many", [](Call& call) {
      for (const Call::Buffer& buffer : call.buffers())
        if (buffer.name == "y") static_cast<char*>(buffer.data)[buffer.bytes] = 1;
    });
  }
} kRegistered;

}  // namespace
}  // namespace assay
