// Binding tensors to GPU memory, and what can go wrong there.
#include "harness/device/cuda/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/base/number.h"
#include "harness/base/running.h"
#include "harness/device/aliasing.h"
#include "harness/device/workspace.h"

namespace assay {
namespace {

constexpr size_t kAlignment = 4096;  // of a tensor's first guard; regions are multiples of it
constexpr int kShifts = 4;           // runs in a row lie at different addresses: a result that depends on one shows

// GPU memory that is kept from run to run, and grows.
class Arena {
 public:
  explicit Arena(GpuRuntime& runtime) : runtime_(runtime) {}
  ~Arena() { release(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  GpuStatus reserve(size_t bytes) {
    if (bytes <= size_) return std::nullopt;
    release();
    const GpuStatus error = runtime_.allocate(bytes, &memory_);
    if (!error) size_ = bytes;
    return error;
  }
  std::byte* memory() const { return static_cast<std::byte*>(memory_); }
  void release() {
    if (memory_ != nullptr) runtime_.release(memory_);
    memory_ = nullptr;
    size_ = 0;
  }

 private:
  GpuRuntime& runtime_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

// The tensors of one run in GPU memory.
class Binding {
 public:
  virtual ~Binding() = default;
  virtual GpuStatus upload(std::vector<Tensor*>& tensors) = 0;
  virtual GpuStatus download() = 0;
  virtual void* address_of(size_t tensor) const = 0;
};

// Tensors with their guards, one behind the other. Only the guards of the last tensor, the workspace, travel: it is
// poisoned in place, and nobody reads what a kernel leaves there.
class GuardedBinding : public Binding {
 public:
  GuardedBinding(GpuRuntime& runtime, Arena& arena, size_t shift) : runtime_(runtime), arena_(arena), shift_(shift) {}

  GpuStatus upload(std::vector<Tensor*>& tensors) override {
    size_t bytes = kShifts * kAlignment;
    for (Tensor* tensor : tensors) bytes += tensor->guarded().size();
    if (GpuStatus error = arena_.reserve(bytes)) return error;
    std::byte* next = arena_.memory() + shift_ * kAlignment;
    for (Tensor* tensor : tensors) {
      const auto region = tensor->guarded();
      places_.push_back({tensor, next});
      if (GpuStatus error = travel(places_.back(), tensor == tensors.back(), /*up=*/true)) return error;
      next += region.size();
    }
    return std::nullopt;
  }
  GpuStatus download() override {
    for (const Place& place : places_)
      if (GpuStatus error = travel(place, &place == &places_.back(), /*up=*/false)) return error;
    return std::nullopt;
  }
  void* address_of(size_t tensor) const override {
    const Place& place = places_[tensor];
    return place.region + (place.tensor->data() - place.tensor->guarded().data());
  }

 private:
  struct Place {
    Tensor* tensor;
    std::byte* region;
  };

  GpuStatus travel(const Place& place, bool is_workspace, bool up) {
    const auto region = place.tensor->guarded();
    const auto part = [&](size_t begin, size_t end) {
      return up ? runtime_.upload(place.region + begin, region.data() + begin, end - begin)
                : runtime_.download(region.data() + begin, place.region + begin, end - begin);
    };
    const auto begin = static_cast<size_t>(place.tensor->data() - region.data()), end = begin + place.tensor->bytes();
    if (!is_workspace) return part(0, region.size());
    if (up)
      if (GpuStatus error = runtime_.poison(place.region + begin, end - begin)) return error;
    if (GpuStatus error = part(0, begin)) return error;
    return part(end, region.size());
  }

  GpuRuntime& runtime_;
  Arena& arena_;
  size_t shift_;
  std::vector<Place> places_;
};

// An output that is poison throughout: nothing kept in it, and no input in its buffer.
bool holds_nothing(const Tensor& tensor) {
  if (tensor.role() != Role::output) return false;
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (!tensor.is_poison(i, Poison::first) && !tensor.is_poison(i, Poison::second)) return false;
  return true;
}

// A binding without guards, for compute-sanitizer: see GpuDeviceOptions.
class BareBinding : public Binding {
 public:
  explicit BareBinding(GpuRuntime& runtime) : runtime_(runtime) {}
  ~BareBinding() override {
    for (const Place& place : places_) runtime_.release(place.memory);
  }
  BareBinding(const BareBinding&) = delete;
  BareBinding& operator=(const BareBinding&) = delete;

  GpuStatus upload(std::vector<Tensor*>& tensors) override {
    for (Tensor* tensor : tensors) {
      void* memory = nullptr;
      const size_t bytes = tensor->offset() + tensor->bytes();
      if (GpuStatus error = runtime_.allocate(std::max<size_t>(bytes, 1), &memory)) return error;
      places_.push_back({tensor, memory});
      if (tensor->bytes() == 0 || holds_nothing(*tensor)) continue;
      if (GpuStatus error = runtime_.upload(address_of(places_.size() - 1), tensor->data(), tensor->bytes()))
        return error;
    }
    return std::nullopt;
  }
  GpuStatus download() override {
    for (const Place& place : places_) {
      if (place.tensor->bytes() == 0) continue;
      void* const begin = static_cast<std::byte*>(place.memory) + place.tensor->offset();
      if (GpuStatus error = runtime_.download(place.tensor->data(), begin, place.tensor->bytes())) return error;
    }
    return std::nullopt;
  }
  void* address_of(size_t tensor) const override {
    return static_cast<std::byte*>(places_[tensor].memory) + places_[tensor].tensor->offset();
  }

 private:
  struct Place {
    Tensor* tensor;
    void* memory;
  };
  GpuRuntime& runtime_;
  std::vector<Place> places_;
};

class GpuDevice : public Device {
 public:
  GpuDevice(std::unique_ptr<GpuRuntime> runtime, GpuDeviceOptions options)
      : runtime_(std::move(runtime)), options_(options), arena_(*runtime_) {}

  std::string name() const override { return kGpuDevice; }
  bool usable() const override { return !broken_; }
  bool takes_huge() const override { return true; }

  // A GPU schedules as it likes: `schedule` is the executor's.
  Findings run(const Variant& variant, const Case& c, Tensors& tensors, uint64_t) override {
    if (broken_) return {{Kind::crash, "the GPU's context was lost in an earlier run of this process"}};
    Tensor workspace = options_.for_sanitizer ? make_workspace(variant, c) : make_workspace_guards(variant, c);
    fill_shared_memory(c, tensors);
    std::vector<Tensor*> bound;
    for (Tensor& tensor : tensors) bound.push_back(&tensor);
    bound.push_back(&workspace);

    const std::unique_ptr<Binding> binding = bind();
    if (const GpuStatus error = binding->upload(bound)) return findings_of(*error, bound);
    std::vector<Call::Buffer> buffers;
    for (size_t i = 0; i < tensors.size(); ++i) {
      void* const memory = tensors[i].absent() ? nullptr : binding->address_of(memory_of(c, tensors, i));
      buffers.push_back({tensors[i].name(), memory, static_cast<int64_t>(tensors[i].bytes()), tensors[i].shape()});
    }
    Call call(c, std::move(buffers), binding->address_of(tensors.size()));
    take_refusal();  // of a run before this one
    {
      const StreamScope scope(runtime_->stream());
      const Running kernel("");
      variant.run(call);
    }
    const GpuStatus error = [&] {
      const Waiting waiting("the GPU: the kernel does not end");
      return runtime_->finish();
    }();
    // A lost context makes every launch after it fail: it is what happened, and the next case must know.
    if (error && error->sticky) return findings_of(*error, bound);
    if (const auto refused = take_refusal()) return {{verdict_of(refused->kind), refused->why}};
    if (error) return findings_of(*error, bound);
    if (const GpuStatus lost = binding->download()) return findings_of(*lost, bound);
    return workspace_findings(workspace);
  }

 private:
  std::unique_ptr<Binding> bind() {
    if (options_.for_sanitizer) return std::make_unique<BareBinding>(*runtime_);
    return std::make_unique<GuardedBinding>(*runtime_, arena_, static_cast<size_t>(runs_++ % kShifts));
  }

  // Memory that the card does not have is no fault of the kernel; every other error is.
  Findings findings_of(const GpuError& error, const std::vector<Tensor*>& bound) {
    broken_ = error.sticky;
    if (!error.out_of_memory) return {{Kind::crash, "the GPU reports: " + error.text}};
    size_t bytes = 0;
    for (Tensor* tensor : bound) bytes += tensor->guarded().size();
    arena_.release();
    return {{Kind::skipped, fmt::format("the case takes {:.3g} GiB of GPU memory, {:.3g} GiB are free",
                                        std::ldexp(static_cast<double>(bytes), -30),
                                        std::ldexp(static_cast<double>(runtime_->free_bytes()), -30))}};
  }

  std::unique_ptr<GpuRuntime> runtime_;
  GpuDeviceOptions options_;
  Arena arena_;
  uint64_t runs_ = 0;
  bool broken_ = false;
};

std::optional<int> number_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const auto number = number_in<int>(text);
  return number >= 0 ? number : std::nullopt;
}

}  // namespace

std::unique_ptr<Device> make_gpu_device(std::unique_ptr<GpuRuntime> runtime, GpuDeviceOptions options) {
  return std::make_unique<GpuDevice>(std::move(runtime), options);
}

Kind verdict_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::launch:
      break;
    case Refusal::no_plan:
      return Kind::unsupported;
    case Refusal::no_memory:
      return Kind::skipped;
  }
  return Kind::crash;
}

Result<int> chosen_gpu() {
  GpuPlatform* const platform = ASSAY_TRY(gpu_platform());
  const int count = ASSAY_TRY(platform->count());
  const auto asked = number_from_environment("ASSAY_GPU");
  if (!asked) return number_from_environment("ASSAY_WORKER").value_or(0) % count;
  if (*asked >= count)
    return fail(fmt::format("there is no GPU {}", *asked),
                count == 1 ? "the only one is 0" : fmt::format("they are 0 to {}", count - 1));
  return *asked;
}

std::optional<Error> why_no_gpu_device() {
  const auto index = chosen_gpu();
  return index ? std::nullopt : std::optional(index.error());
}

Result<std::unique_ptr<GpuRuntime>> open_chosen_gpu() { return (*gpu_platform())->open(ASSAY_TRY(chosen_gpu())); }

Result<std::unique_ptr<Device>> open_gpu_device() {
  return make_gpu_device(ASSAY_TRY(open_chosen_gpu()), {.for_sanitizer = std::getenv("ASSAY_UNDER") != nullptr});
}

}  // namespace assay
