// Measuring the roofs: each has several candidates, of which the fastest is the roof. Which that is depends on the GPU,
// the driver and the size: a roof that is too low would let kernels pass for better than they are.
#include <fmt/format.h>

#include <utility>

#include "harness/bench/estimates.h"
#include "harness/bench/roofs.h"
#include "harness/bench/sampling.h"
#include "harness/device/cuda/gemm_roof.h"
#include "harness/device/cuda/stream.h"

namespace assay {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kBytes = 1024 * kMiB;  // far beyond every L2 cache

class Alone : public bench::Stopwatch {
 public:
  Alone(TimedWork& work, GpuTimer& timer) : work_(work), timer_(timer) {}
  Result<TimingSample> run(size_t) override { return work_.time(/*cold=*/true); }
  double now_s() override { return timer_.now_s(); }

 private:
  TimedWork& work_;
  GpuTimer& timer_;
};

// The median time of the work, in microseconds.
Result<double> median_us(Result<std::unique_ptr<TimedWork>> work, GpuTimer& timer,
                         const bench::SamplingOptions& sampling, double warm_up_s) {
  if (const auto refused = take_refusal()) return fail(refused->why);
  if (!work) return tl::unexpected(work.error());
  Alone stopwatch(**work, timer);
  if (const auto failed = bench::warm_up(stopwatch, 1, warm_up_s)) return tl::unexpected(failed->error);
  const bench::Sampled sampled = bench::sample(stopwatch, 1, sampling);
  if (sampled.error) return tl::unexpected(*sampled.error);
  const double us = bench::median(bench::kept_us(sampled.samples[0]));
  if (!(us > 0))
    return fail("no sample was taken at the default clock", "look for what slows the GPU down: nvidia-smi");
  return us;
}

Result<double> median_us(const RoofCandidate& candidate, GpuTimer& timer, const bench::SamplingOptions& sampling,
                         double warm_up_s) {
  return median_us(timer.prepare({.runs = {candidate.run}, .memory = {}, .graph = candidate.graph}), timer, sampling,
                   warm_up_s);
}

struct Fastest {
  double us = 0;
  std::string means;
};

// A few samples tell which candidate is fastest; that one is then measured like a kernel. One that fails is left out;
// the error is that of the last where all do.
Result<Fastest> fastest_of(const std::vector<RoofCandidate>& candidates, const GpuInfo& info, GpuTimer& timer,
                           const MeasureOptions& options) {
  const bench::SamplingOptions thorough = bench::sampling_options(options, info);
  bench::SamplingOptions brief = thorough;
  brief.max_samples = 6;
  const RoofCandidate* best = nullptr;
  double best_us = 0;
  Result<Fastest> fastest = fail("there is no candidate to measure");
  for (const RoofCandidate& candidate : candidates) {
    const auto us = median_us(candidate, timer, brief, /*warm_up_s=*/0);
    if (!us) {
      fastest = tl::unexpected(us.error());
    } else if (!best || *us < best_us) {
      best = &candidate;
      best_us = *us;
    }
  }
  if (!best) return fastest;
  const auto us = ASSAY_TRY(median_us(*best, timer, thorough, options.warm_up_s));
  return Fastest{us, best->means};
}

// Two buffers of the GPU's memory for as long as the object lives.
class Buffers {
 public:
  explicit Buffers(GpuRuntime& runtime) : runtime_(runtime) {}
  ~Buffers() {
    for (void* memory : {from, to})
      if (memory) runtime_.release(memory);
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  Result<void> allocate() {
    for (void** memory : {&from, &to})
      if (const GpuStatus error = runtime_.allocate(kBytes, memory))
        return fail("no room for two buffers of 1 GiB: " + error->text, "free memory of the GPU");
    return {};
  }

  void* from = nullptr;
  void* to = nullptr;

 private:
  GpuRuntime& runtime_;
};

void note(const Result<void>& queued) {
  if (!queued) note_refused_launch(queued.error().what);
}

constexpr const char* kByKernel = "a kernel of 16-byte accesses";

// Graph nodes of 512 MiB and more were seen at half the speed of smaller ones.
std::vector<RoofCandidate> copy_candidates(const Buffers& buffers, GpuTimer& timer) {
  std::vector<RoofCandidate> candidates;
  for (const size_t part : {kBytes, 256 * kMiB, 64 * kMiB}) {
    const auto run = [&buffers, &timer, part] {
      for (size_t at = 0; at < kBytes; at += part)
        note(timer.copy(static_cast<char*>(buffers.to) + at, static_cast<const char*>(buffers.from) + at, part));
    };
    candidates.push_back({fmt::format("cudaMemcpyAsync in a graph, {} MiB a node", part / kMiB), run});
  }
  candidates.push_back(
      {"cudaMemcpyAsync", [&] { note(timer.copy(buffers.to, buffers.from, kBytes)); }, /*graph=*/false});
  candidates.push_back({kByKernel, [&] { note(timer.copy_by_kernel(buffers.to, buffers.from, kBytes)); }});
  return candidates;
}

std::vector<RoofCandidate> read_candidates(const Buffers& buffers, GpuTimer& timer) {
  return {{kByKernel, [&] { note(timer.read_by_kernel(buffers.from, kBytes)); }}};
}

std::vector<RoofCandidate> write_candidates(const Buffers& buffers, GpuRuntime& runtime, GpuTimer& timer) {
  const auto set = [&] {
    if (const GpuStatus error = runtime.poison(buffers.to, kBytes)) note_refused_launch(error->text);
  };
  return {{kByKernel, [&] { note(timer.write_by_kernel(buffers.to, kBytes)); }}, {"cudaMemsetAsync", set}};
}

class Measuring {
 public:
  Measuring(GpuRuntime& runtime, GpuTimer& timer, const MeasureOptions& options)
      : runtime_(runtime), timer_(timer), options_(options) {}

  void memory() {
    Buffers buffers(runtime_);
    const auto allocated = buffers.allocate();
    const auto add = [&](const char* name, double bytes, const std::vector<RoofCandidate>& candidates) {
      add_rate(
          name, "TB/s", bytes, runtime_.info().memory_bytes_per_s / kTera,
          allocated ? fastest_of(candidates, runtime_.info(), timer_, options_) : tl::unexpected(allocated.error()));
    };
    add(kCopy, 2.0 * kBytes, copy_candidates(buffers, timer_));
    add(kRead, kBytes, read_candidates(buffers, timer_));
    add(kWrite, kBytes, write_candidates(buffers, runtime_, timer_));
  }

  void product(const GemmRoof& roof) {
    const auto candidates = roof.prepare(runtime_);
    add_rate(
        roof.name, "TFLOP/s", roof.flops, /*physical=*/0,
        candidates ? fastest_of(*candidates, runtime_.info(), timer_, options_) : tl::unexpected(candidates.error()));
  }

  void empty_region() {
    const auto us = median_us(timer_.prepare_empty(), timer_, bench::sampling_options(options_, runtime_.info()),
                              options_.warm_up_s);
    if (us)
      measured_.roofs.push_back({.name = "empty region", .unit = "us", .measured = *us});
    else
      add_missing("empty region", us.error());
  }

  MeasuredRoofs take() && { return std::move(measured_); }

 private:
  void add_rate(const std::string& name, const std::string& unit, double work, double physical,
                const Result<Fastest>& fastest) {
    if (!fastest) return add_missing(name, fastest.error());
    measured_.roofs.push_back({.name = name,
                               .unit = unit,
                               .measured = work / fastest->us * kUsPerS / kTera,
                               .physical = physical,
                               .means = fastest->means});
  }
  void add_missing(const std::string& name, const Error& error) {
    measured_.missing.push_back({"roof " + name + " is not measured: " + error.what, error.hint});
  }

  GpuRuntime& runtime_;
  GpuTimer& timer_;
  const MeasureOptions& options_;
  MeasuredRoofs measured_;
};

}  // namespace

MeasuredRoofs measure_roofs(GpuRuntime& runtime, GpuTimer& timer, const MeasureOptions& options) {
  Measuring measuring(runtime, timer, options);
  measuring.memory();
  for (const GemmRoof& roof : gemm_roofs()) measuring.product(roof);
  measuring.empty_region();
  return std::move(measuring).take();
}

}  // namespace assay
