// Measuring the roofs, and comparing a time with them.
#include "harness/bench/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/bench/estimates.h"
#include "harness/bench/sampling.h"
#include "harness/device/cuda/gemm_roof.h"

namespace assay {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 30;  // far beyond every L2 cache
constexpr const char* kCopy = "copy";
constexpr double kTera = 1e12;
constexpr double kUsPerS = 1e6;
// Of a product's measured rate, where the physical one is unknown.
constexpr double kBeyondMeasured = 1.5;

class Alone : public bench::Stopwatch {
 public:
  Alone(TimedWork& work, GpuTimer& timer) : work_(work), timer_(timer) {}
  Result<TimingSample> run(size_t) override { return work_.time(/*cold=*/true); }
  double now_s() override { return timer_.now_s(); }

 private:
  TimedWork& work_;
  GpuTimer& timer_;
};

// The median time of one run, in microseconds.
Result<double> median_of(std::function<void()> run, const GpuInfo& info, GpuTimer& timer,
                         const MeasureOptions& options) {
  auto work = timer.prepare({.runs = {std::move(run)}, .memory = {}});
  if (!work) return tl::unexpected(work.error());
  Alone stopwatch(**work, timer);
  if (const auto failed = bench::warm_up(stopwatch, 1)) return tl::unexpected(failed->error);
  const bench::Sampled sampled = bench::sample(stopwatch, 1, bench::sampling_options(options, info));
  if (sampled.error) return tl::unexpected(*sampled.error);
  const double us = bench::median(bench::kept_us(sampled.samples[0]));
  if (!(us > 0))
    return fail("no sample was taken at the default clock", "look for what slows the GPU down: nvidia-smi");
  return us;
}

// Two buffers of the GPU's memory for as long as the object lives.
class CopyBuffers {
 public:
  explicit CopyBuffers(GpuRuntime& runtime) : runtime_(runtime) {}
  ~CopyBuffers() {
    for (void* memory : {from, to})
      if (memory) runtime_.release(memory);
  }
  CopyBuffers(const CopyBuffers&) = delete;
  CopyBuffers& operator=(const CopyBuffers&) = delete;

  Result<void> allocate() {
    for (void** memory : {&from, &to})
      if (const GpuStatus error = runtime_.allocate(kCopyBytes, memory))
        return fail("no room for two buffers of 1 GiB: " + error->text, "free memory of the GPU");
    return {};
  }

  void* from = nullptr;
  void* to = nullptr;

 private:
  GpuRuntime& runtime_;
};

Result<double> copy_bytes_per_s(GpuRuntime& runtime, GpuTimer& timer, const MeasureOptions& options) {
  CopyBuffers buffers(runtime);
  if (auto done = buffers.allocate(); !done) return tl::unexpected(done.error());
  Result<void> copied;  // of the last copy that was queued
  auto us =
      median_of([&] { copied = timer.copy(buffers.to, buffers.from, kCopyBytes); }, runtime.info(), timer, options);
  if (!copied) return tl::unexpected(copied.error());
  if (!us) return us;
  return 2.0 * kCopyBytes / *us * kUsPerS;
}

Result<double> gemm_flops_per_s(const GemmRoof& product_roof, GpuRuntime& runtime, GpuTimer& timer,
                                const MeasureOptions& options) {
  auto product = product_roof.prepare(runtime);
  if (!product) return tl::unexpected(product.error());
  auto us = median_of(std::move(*product), runtime.info(), timer, options);
  if (!us) return us;
  return product_roof.flops / *us * kUsPerS;
}

const Roof* find(const Roofs& roofs, std::string_view name) {
  const auto found = std::find_if(roofs.begin(), roofs.end(), [&](const Roof& roof) { return roof.name == name; });
  return found == roofs.end() || !(found->measured > 0) ? nullptr : &*found;
}

const Roof* gemm_for(const Cost& cost, const Roofs& roofs) {
  if (cost.dtype == DType::f32 && cost.reduced) return find(roofs, "tf32 GEMM");
  if (const Roof* own = find(roofs, std::string(name(cost.dtype)) + " GEMM")) return own;
  return cost.dtype == DType::f16 ? find(roofs, "bf16 GEMM") : nullptr;
}

std::string text(const Roof& roof) {
  // Three digits, as a rate is known: 4.31, 52.1, 792.
  const int decimals = roof.measured < 10 ? 2 : roof.measured < 100 ? 1 : 0;
  return fmt::format("{} {:.{}f} {}", roof.name, roof.measured, decimals, roof.unit);
}

std::string too_fast(double median_us, double least_us, const std::string& why) {
  return fmt::format("{:.3f} us is less than the {:.3f} us that {}", median_us, least_us, why);
}

}  // namespace

MeasuredRoofs measure_roofs(GpuRuntime& runtime, GpuTimer& timer, const MeasureOptions& options) {
  MeasuredRoofs measured;
  const auto add = [&](const Result<double>& rate, const std::string& name, const std::string& unit, double physical) {
    if (rate)
      measured.roofs.push_back({.name = name, .unit = unit, .measured = *rate / kTera, .physical = physical});
    else
      measured.missing.push_back({"roof " + name + " is not measured: " + rate.error().what, rate.error().hint});
  };
  add(copy_bytes_per_s(runtime, timer, options), kCopy, "TB/s", runtime.info().memory_bytes_per_s / kTera);
  for (const GemmRoof& product_roof : gemm_roofs())
    add(gemm_flops_per_s(product_roof, runtime, timer, options), product_roof.name, "TFLOP/s", /*physical=*/0);
  return measured;
}

Cost cost_of(const Contract& contract, const Variant& variant, const Case& c) {
  Cost cost{.bytes = static_cast<double>(compulsory_bytes(contract, c)), .dtype = c.dtype};
  for (const TensorSpec& spec : contract.tensors) {
    auto bytes = static_cast<double>(size_of(dtype_of(spec, c)));
    double elements = 1;
    for (const int64_t extent : shape_of(spec, c)) elements *= static_cast<double>(extent);
    bytes *= elements - static_cast<double>(regions_of(spec, c).count());
    const Role role = role_of(spec, c);
    if (role == Role::input || role == Role::inout) cost.bytes_read_least += bytes;
    if (role == Role::output) cost.bytes_written_least += bytes;
  }
  if (contract.flops) cost.flops = contract.flops(c);
  cost.reduced = variant.accumulate != Accumulate::f32;
  return cost;
}

Bound bound_of(const Cost& cost, const Roofs& roofs) {
  Bound bound;
  const auto consider = [&](const Roof* roof, double work) {
    if (!roof) return;
    const double us = work / (roof->measured * kTera) * kUsPerS;
    if (us > bound.time_us) bound = {text(*roof), us};
  };
  consider(find(roofs, kCopy), cost.bytes);
  consider(gemm_for(cost, roofs), cost.flops);
  return bound;
}

std::optional<std::string> impossible(double median_us, const Cost& cost, const Roofs& roofs, double l2_bytes,
                                      bool cold) {
  if (!(median_us > 0)) return fmt::format("a median of {} us is no time", median_us);
  if (const Roof* copy = find(roofs, kCopy); copy && copy->physical > 0) {
    const double read = cold ? cost.bytes_read_least : std::max(0.0, cost.bytes_read_least - l2_bytes);
    const double moved = read + std::max(0.0, cost.bytes_written_least - l2_bytes);
    const double least_us = moved / (copy->physical * kTera) * kUsPerS;
    if (!(median_us >= least_us))
      return too_fast(median_us, least_us,
                      fmt::format("{:.4g} MB take at the memory's {:.2f} TB/s", moved / 1e6, copy->physical));
  }
  if (const Roof* product_roof = gemm_for(cost, roofs)) {
    const bool known = product_roof->physical > 0;
    const double rate = known ? product_roof->physical : kBeyondMeasured * product_roof->measured;
    const double least_us = cost.flops / (rate * kTera) * kUsPerS;
    if (!(median_us >= least_us))
      return too_fast(median_us, least_us,
                      fmt::format("{:.4g} GFLOP take at {:.4g} TFLOP/s, {}", cost.flops / 1e9, rate,
                                  known ? "the hardware's rate" : "1.5 times the " + product_roof->name + "'s rate"));
  }
  return std::nullopt;
}

}  // namespace assay
