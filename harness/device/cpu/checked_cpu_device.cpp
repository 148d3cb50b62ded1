// The cpu-checked device: copies a case's tensors into a checker's memory, runs a variant there, copies them back.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "harness/base/running.h"
#include "harness/device/aliasing.h"
#include "harness/device/cpu/cpu_device.h"
#include "harness/device/cpu/executor_device.h"
#include "harness/device/cpu/executor_findings.h"
#include "harness/op/replacing.h"
#include "harness/simt/checked/checker.h"
#include "harness/simt/sieve/watch.h"

namespace assay {
namespace {

simt::Contents contents_of(const Tensor& tensor) {
  switch (tensor.role()) {
    case Role::input:
      return tensor.regions().has(Region::dead) ? simt::Contents::gaps : simt::Contents::input;
    case Role::output:
      return simt::Contents::fresh;
    case Role::accumulate:
    case Role::inout:
      return simt::Contents::initialised;
  }
  return simt::Contents::initialised;
}

// Detectors that are off by default; those that find nothing that fails a case give hints.
simt::Checks checks_of(const Watching& watching) {
  simt::Checks checks;
  for (const simt::Detector& detector : simt::detectors()) {
    const bool wanted = detector.finds == simt::Kind::none ? watching.hints : watching.strict_barriers;
    if (wanted && !detector.by_default) checks.on.push_back(detector.name);
  }
  return checks;
}

class CheckedCpuDevice : public ExecutorDevice {
 public:
  std::string name() const override { return kCheckedDevice; }

  void watch(const Watching& watching) override {
    if (watching == watching_) return static_cast<void>(take_hints());
    watching_ = watching;
    checker_.emplace(checks_of(watching));
  }

  std::vector<std::string> take_hints() override { return checker_->take_hints(); }

  std::optional<AccessStatistics> statistics(const Variant& variant, const Case& c, Tensors& tensors,
                                             uint64_t schedule) override {
    AccessStatistics counted;
    const Findings findings =
        run_with({.schedule = schedule, .approximation = c.schedule, .statistics = &counted}, variant, c, tensors);
    if (!findings.empty()) counted.incomplete = findings.front().detail;
    return counted;
  }

  bool reserve(size_t buffers, size_t bytes) { return checker_->reserve(buffers, bytes); }

 private:
  // Most cases are right, and a sieve proves that in a fraction of the time. Of the others it does not say what is
  // wrong.
  Findings run_with(simt::Options options, const Variant& variant, const Case& c, Tensors& tensors) override {
    options.checker = &*checker_;
    if (options.statistics == nullptr && watching_ == Watching{} && is_proven(options, variant, c, tensors)) return {};
    return run_bound(options, variant, c, tensors);
  }

  // A variant of which nothing could be proven a few times is not tried again.
  bool is_proven(simt::Options options, const Variant& variant, const Case& c, Tensors& tensors) {
    constexpr int kTries = 8;
    const Variant* const sieve = sieve_of(variant);
    if (sieve == nullptr || in_vain_[sieve] == kTries) return false;
    options.sieve = true;
    options.schedule = 0;  // any gives the same
    Findings open;
    {
      const simt::sieve::Watch watch;
      open = run_bound(options, *sieve, c, tensors);
    }
    if (const char* const report = std::getenv("ASSAY_SIEVE_REPORT"))
      std::ofstream(report, std::ios::app)
          << fmt::format("{}/{}: {}\n", variant.op, variant.name, open.empty() ? "proven" : open.front().detail);
    if (open.empty()) in_vain_[sieve] = -1;  // from here on it is always tried
    if (!open.empty() && in_vain_[sieve] >= 0) ++in_vain_[sieve];
    return open.empty();
  }

  // Outputs come with their poison and go back with what of it was not overwritten, which the judge looks for. Where a
  // sieve proves nothing the tensors stay as they are.
  Findings run_bound(const simt::Options& options, const Variant& variant, const Case& c, Tensors& tensors) {
    const auto workspace_bytes = static_cast<size_t>(variant.workspace_bytes ? variant.workspace_bytes(c) : 0);
    size_t bytes = workspace_bytes;
    for (const Tensor& tensor : tensors) bytes += tensor.bytes();
    if (!reserve(tensors.size() + 1, bytes))
      return {
          {Kind::skipped, fmt::format("its tensors have {} bytes, and the checked build needs up to 20 times as much "
                                      "address space, more than this process may have (ulimit -v)",
                                      bytes)}};
    fill_shared_memory(c, tensors);
    std::vector<Call::Buffer> buffers;
    for (const Tensor& tensor : tensors)
      buffers.push_back({tensor.name(), nullptr, static_cast<int64_t>(tensor.bytes()), tensor.shape()});
    for (size_t i = 0; i < tensors.size(); ++i)
      if (memory_of(c, tensors, i) == i && !tensors[i].absent()) buffers[i].data = bind(tensors[i]);
    for (size_t i = 0; i < tensors.size(); ++i)
      if (const size_t memory = memory_of(c, tensors, i); memory != i) {
        buffers[i].data = buffers[memory].data;  // what the input holds is there to be read
        initialise(tensors[i], buffers[i].data);
      }
    void* const workspace = checker_->bind({"workspace", workspace_bytes, 4, simt::Contents::fresh}, nullptr);
    Call call(c, buffers, workspace);
    simt::Context context{options, {}};
    {
      const simt::ContextScope scope(context);
      const Running kernel("");
      variant.run(call);
    }
    for (size_t i = 0; i < tensors.size() && !(options.sieve && !context.findings.empty()); ++i)
      if (memory_of(c, tensors, i) == i && !tensors[i].absent())
        std::memcpy(tensors[i].data(), buffers[i].data, tensors[i].bytes());
    checker_->release_buffers();
    return findings_of(context.findings);
  }

  // Elements of an output that the op keeps may be read; dead ones of an input may not.
  void* bind(const Tensor& tensor) {
    const auto elements = is_float(tensor.dtype()) ? simt::Elements::floats : simt::Elements::integers;
    void* const memory = checker_->bind(
        {tensor.name(), tensor.bytes(), size_of(tensor.dtype()), contents_of(tensor), tensor.offset(), elements},
        tensor.data());
    const bool has_gaps = tensor.role() == Role::input && tensor.regions().has(Region::dead);
    if (has_gaps) initialise(tensor, memory);
    for (const Regions::Run& run : tensor.regions().runs())
      if (run.region == Region::kept) initialise(tensor, memory, run.begin, run.end);
    return memory;
  }

  // All of it but what is dead.
  void initialise(const Tensor& tensor, void* memory) {
    int64_t done = 0;
    for (const Regions::Run& run : tensor.regions().runs()) {
      if (run.region != Region::dead) continue;
      initialise(tensor, memory, done, run.begin);
      done = run.end;
    }
    initialise(tensor, memory, done, tensor.count());
  }
  void initialise(const Tensor& tensor, void* memory, int64_t begin, int64_t end) {
    if (begin == end) return;
    const auto size = static_cast<int64_t>(size_of(tensor.dtype()));
    checker_->host_wrote(static_cast<std::byte*>(memory) + begin * size, static_cast<size_t>((end - begin) * size));
  }

  Watching watching_;
  std::map<const Variant*, int> in_vain_;  // how often a sieve has proven nothing so far; -1: it has, once
  std::optional<simt::Checker> checker_{std::in_place};
};

}  // namespace

Result<std::unique_ptr<Device>> make_checked_cpu_device() {
  auto device = std::make_unique<CheckedCpuDevice>();
  if (!simt::reserve_stacks() || !device->reserve(0, 0))
    return fail("it needs 900 MB of address space", "raise the limit (ulimit -v), or leave the checked build out");
  return device;
}

std::optional<Error> why_no_checked_cpu_device() {
  const auto device = make_checked_cpu_device();
  return device ? std::nullopt : std::optional(device.error());
}

}  // namespace assay
