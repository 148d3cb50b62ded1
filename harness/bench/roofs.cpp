// Comparing a time with the roofs.
#include "harness/bench/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/op/composite.h"

namespace assay {
namespace {

// Shares of a case's bytes that are written: below the first it is bound by reading, above the other by writing.
constexpr double kMostlyRead = 0.1, kMostlyWritten = 0.9;
// The factor over a product's measured rate, where the physical one is unknown.
constexpr double kBeyondMeasured = 1.5;

const Roof* find(const Roofs& roofs, std::string_view name) {
  const auto found = std::ranges::find(roofs, name, &Roof::name);
  return found == roofs.end() || !(found->measured > 0) ? nullptr : &*found;
}

// The roof of the memory: for a case that nearly only reads, or writes, the rate of that, where it was measured.
const Roof* memory_for(const Cost& cost, const Roofs& roofs) {
  const double written = cost.bytes > 0 ? cost.bytes_written / cost.bytes : kMostlyRead;
  const Roof* own = written < kMostlyRead      ? find(roofs, kRead)
                    : written > kMostlyWritten ? find(roofs, kWrite)
                                               : nullptr;
  return own ? own : find(roofs, kCopy);
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

Cost cost_of(const Contract& contract, const Variant& variant, const Case& c) {
  Cost cost{.bytes = static_cast<double>(compulsory_bytes(contract, c)), .dtype = c.dtype};
  for (const TensorSpec& spec : contract.tensors) {
    auto bytes = static_cast<double>(size_of(dtype_of(spec, c)));
    double elements = 1;
    for (const int64_t extent : shape_of(spec, c)) elements *= static_cast<double>(extent);
    bytes *= elements - static_cast<double>(regions_of(spec, c).count());
    const Role role = role_of(spec, c);
    if (is_written(role)) cost.bytes_written += bytes;
    if (role == Role::input || role == Role::inout) cost.bytes_read_least += bytes;
    if (role == Role::output) cost.bytes_written_least += bytes;
  }
  if (contract.flops) cost.flops = contract.flops(c);
  for (const Variant* part : parts_of(variant, c)) {
    cost.reduced = cost.reduced || part->accumulate != Accumulate::f32;
    if (part->accumulate == Accumulate::bf16_operands) cost.dtype = DType::bf16;
  }
  return cost;
}

Bound bound_of(const Cost& cost, const Roofs& roofs) {
  Bound bound;
  const auto consider = [&](const Roof* roof, double work) {
    if (!roof) return;
    const double us = work / (roof->measured * kTera) * kUsPerS;
    if (us > bound.time_us) bound = {text(*roof), us};
  };
  consider(memory_for(cost, roofs), cost.bytes);
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
