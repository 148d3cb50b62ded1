// A GPU for tests: the host's memory, and a clock that moves only when fake kernels say that they take time.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/tensor/counter.h"

namespace assay {

// The clock, and what is to go wrong. Fake kernels are functions of the host that call spend().
struct FakeGpu {
  double now_us = 0;
  double sm_mhz = 1000;
  double copy_bytes_per_s = 0.8e12;  // bytes read and bytes written both counted
  // Rates of kernels, counted so too, and of copies from 512 MiB on; work queued in no graph takes so many times the
  // time.
  double kernel_bytes_per_s = 0.7e12, read_bytes_per_s = 0.9e12, write_bytes_per_s = 0.6e12;
  double large_copy_bytes_per_s = 0.4e12, set_bytes_per_s = 0.5e12;
  double without_graph = 1.1;
  double empty_region_us = 2;
  bool copies = true;  // false: copying and setting take their time and do nothing
  size_t memory_bytes = size_t{1} << 32;
  std::optional<GpuError> error = {};  // what the next wait says; a sticky one stays

  void spend(double us) { now_us += us; }
};

class FakeRuntime : public GpuRuntime {
 public:
  explicit FakeRuntime(FakeGpu& gpu) : gpu_(gpu) {
    info_.name = "Fake GPU";
    info_.l2_bytes = 1 << 18;
    info_.sm_mhz = 1000;
    info_.memory_bytes_per_s = 1e12;
  }

  const GpuInfo& info() const override { return info_; }
  void* stream() const override { return const_cast<FakeRuntime*>(this); }

  GpuStatus allocate(size_t bytes, void** memory) override {
    if (bytes > free_bytes()) return GpuError{.code = 2, .text = "out of memory", .out_of_memory = true};
    auto block = std::make_unique_for_overwrite<std::byte[]>(bytes);
    *memory = block.get();
    held_bytes_ += bytes;
    blocks_[*memory] = {std::move(block), bytes};
    return std::nullopt;
  }
  void release(void* memory) override {
    held_bytes_ -= blocks_.at(memory).second;
    blocks_.erase(memory);
  }
  size_t free_bytes() override { return gpu_.memory_bytes - held_bytes_; }
  size_t held_bytes() const { return held_bytes_; }

  GpuStatus upload(void* device, const void* host, size_t bytes) override {
    std::memcpy(device, host, bytes);
    uploaded_bytes_ += bytes;
    return std::nullopt;
  }
  GpuStatus poison(void* device, size_t bytes) override {
    if (gpu_.copies) std::memset(device, 0xff, bytes);
    gpu_.spend(static_cast<double>(bytes) / gpu_.set_bytes_per_s * 1e6);
    return std::nullopt;
  }
  GpuStatus fill_normal(void* device, int64_t count, DType dtype, uint64_t counter) override {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t bits = from_double(dtype, normal_at(counter, static_cast<uint64_t>(i)));
      std::memcpy(static_cast<std::byte*>(device) + static_cast<size_t>(i) * size_of(dtype), &bits, size_of(dtype));
    }
    made_bytes_ += static_cast<size_t>(count) * size_of(dtype);
    return std::nullopt;
  }
  size_t made_bytes() const { return made_bytes_; }
  size_t uploaded_bytes() const { return uploaded_bytes_; }
  GpuStatus download(void* host, const void* device, size_t bytes) override {
    std::memcpy(host, device, bytes);
    return finish();
  }
  GpuStatus finish() override {
    if (gpu_.error && gpu_.error->sticky) return gpu_.error;
    return std::exchange(gpu_.error, std::nullopt);
  }

 private:
  FakeGpu& gpu_;
  GpuInfo info_;
  size_t held_bytes_ = 0, uploaded_bytes_ = 0, made_bytes_ = 0;
  std::map<void*, std::pair<std::unique_ptr<std::byte[]>, size_t>> blocks_;
};

class FakeTimer : public GpuTimer {
 public:
  FakeTimer(FakeGpu& gpu, FakeRuntime& runtime) : gpu_(gpu), runtime_(runtime) {}

  Result<std::unique_ptr<TimedWork>> prepare(GpuWork work) override {
    for (const auto& run : work.runs) run();
    if (const GpuStatus error = runtime_.finish()) return fail("the GPU failed: " + error->text);
    return std::make_unique<Work>(*this, std::move(work));
  }
  Result<std::unique_ptr<TimedWork>> prepare_empty() override {
    return std::make_unique<Work>(*this, GpuWork{.runs = {[this] { gpu_.spend(gpu_.empty_region_us); }}, .memory = {}});
  }
  Result<void> copy(void* to, const void* from, size_t bytes) override {
    if (gpu_.copies) std::memcpy(to, from, bytes);
    spend_on(2 * bytes, bytes >= size_t{1} << 29 ? gpu_.large_copy_bytes_per_s : gpu_.copy_bytes_per_s);
    return {};
  }
  Result<void> copy_by_kernel(void* to, const void* from, size_t bytes) override {
    if (gpu_.copies) std::memcpy(to, from, bytes);
    spend_on(2 * bytes, gpu_.kernel_bytes_per_s);
    return {};
  }
  Result<void> read_by_kernel(const void*, size_t bytes) override {
    spend_on(bytes, gpu_.read_bytes_per_s);
    return {};
  }
  Result<void> write_by_kernel(void*, size_t bytes) override {
    spend_on(bytes, gpu_.write_bytes_per_s);
    return {};
  }
  double now_s() override { return gpu_.now_us / 1e6; }
  void begin_range(const std::string& name) override { ranges += "[" + name; }
  void end_range() override { ranges += "]"; }

  std::vector<size_t> regions;  // how many runs each timed region had
  bool cold = false;            // of the last one
  std::string ranges;           // "[op[case]]"

 private:
  class Work : public TimedWork {
   public:
    Work(FakeTimer& timer, GpuWork work) : timer_(timer), work_(std::move(work)) {}

    Result<TimingSample> time(bool cold) override {
      timer_.regions.push_back(work_.runs.size());
      timer_.cold = cold;
      const double begin_us = timer_.gpu_.now_us;
      for (const auto& run : work_.runs) run();
      if (!work_.graph) timer_.gpu_.now_us += (timer_.gpu_.now_us - begin_us) * (timer_.gpu_.without_graph - 1);
      const double us = (timer_.gpu_.now_us - begin_us) / static_cast<double>(work_.runs.size());
      if (const GpuStatus error = timer_.runtime_.finish()) return fail("the GPU failed: " + error->text);
      return TimingSample{.us = us, .sm_mhz = timer_.gpu_.sm_mhz};
    }

   private:
    FakeTimer& timer_;
    GpuWork work_;
  };

  void spend_on(size_t bytes, double bytes_per_s) { gpu_.spend(static_cast<double>(bytes) / bytes_per_s * 1e6); }

  FakeGpu& gpu_;
  FakeRuntime& runtime_;
};

}  // namespace assay
