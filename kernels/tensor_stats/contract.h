// tensor_stats: what it means. How many elements are NaN and how many infinite, to the unit, and the least, the largest
// and the mean of the others.
//
// Without a finite element the least is +inf, the largest -inf and the mean NaN. Elements reach to the end of f32's
// range, so the mean is a matter of sums in double, and a starting value of 1e38 is none.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "reference/tensor_stats.h"

namespace assay::ops::tensor_stats {

inline constexpr size_t kNans = 0, kInfinities = 1, kLeast = 2, kLargest = 3, kMean = 4;  // among the outputs

// The case's fill, of which a third or all become NaN and infinities.
inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  apply_fill(c, rng, 0, x);
  if (c.text("nonfinite") == "none") return;
  Rng where = Rng::stream(c.seed, "x/nonfinite");
  for (int64_t i = 0; i < x.count(); ++i) {
    if (c.text("nonfinite") == "some" && where.below(3) > 0) continue;
    const uint64_t kind = where.below(3);
    x.set(i, kind == 0 ? NAN : kind == 1 ? INFINITY : -INFINITY);
  }
}

inline std::optional<std::string> changed_by_reversing(const PropertyRun& run) {
  Tensors given = run.given;
  const Tensor& x = run.given.get("x");
  for (int64_t i = 0; i < x.count(); ++i) given.get("x").set_bits(i, x.bits(x.count() - 1 - i));
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  return properties::first_disagreement(run, *got, {"nans", "infinities", "least", "largest", "mean"});
}

inline std::optional<std::string> not_turned_by_negating(const PropertyRun& run) {
  Tensors given = run.given;
  Tensor& x = given.get("x");
  for (int64_t i = 0; i < x.count(); ++i) x.set(i, -x.at(i));
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const auto is_minus = [&](const char* once, const char* again) {
    const double allowed = 2 * run.budget(once)[0];
    return properties::agree(DType::f32, run.got.get(once).at(0), -got->get(again).at(0), allowed);
  };
  if (is_minus("least", "largest") && is_minus("largest", "least")) return std::nullopt;
  return fmt::format("of x they are {:.9g} and {:.9g}, of -x {:.9g} and {:.9g}", run.got.get("least").at(0),
                     run.got.get("largest").at(0), got->get("least").at(0), got->get("largest").at(0));
}

inline void start_from_large_numbers(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  outputs[kLeast][0] = std::min(outputs[kLeast][0], 1e38);
  outputs[kLargest][0] = std::max(outputs[kLargest][0], -1e38);
}

inline void start_from_zero(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  outputs[kLeast][0] = std::min(outputs[kLeast][0], 0.0);
  outputs[kLargest][0] = std::max(outputs[kLargest][0], 0.0);
}

inline void divide_by_all(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const auto count = static_cast<double>(c.dim("n"));
  outputs[kMean][0] *= (count - outputs[kNans][0] - outputs[kInfinities][0]) / count;
}

inline void count_infinities_as_nans(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  outputs[kNans][0] += outputs[kInfinities][0];
}

inline void miscount_by_one(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  outputs[kNans][0] += 1;
}

inline Contract contract() {
  return {
      .name = "tensor_stats",
      .summary =
          "the numbers of NaN and of infinities in x; min, max and mean of the finite elements (+inf, -inf and NaN "
          "when there is none)",
      .dims = {{.name = "n",
                .meaning = "elements",
                .min = 0,
                .aliases = {"N", "count", "size", "numel", "length", "num_elements"}}},
      .attrs = {{.name = "nonfinite",
                 .meaning = "how many elements are NaN or infinite, beside those of the fill",
                 .choices = {"none", "some", "all"}}},
      .tensors = {{.name = "x", .shape = {"n"}, .make = make_x, .aliases = {"in", "data", "input"}},  // (n)
                  {.name = "nans",
                   .role = Role::output,
                   .shape = {"1"},
                   .dtype = DType::u64,
                   .aliases = {"nan_count", "n_nan"}},  // (1)
                  {.name = "infinities",
                   .role = Role::output,
                   .shape = {"1"},
                   .dtype = DType::u64,
                   .aliases = {"inf_count", "n_inf"}},                                                       // (1)
                  {.name = "least", .role = Role::output, .shape = {"1"}, .aliases = {"min", "minimum"}},    // (1)
                  {.name = "largest", .role = Role::output, .shape = {"1"}, .aliases = {"max", "maximum"}},  // (1)
                  {.name = "mean", .role = Role::output, .shape = {"1"}, .aliases = {"average"}}},           // (1)
      .dtypes = {DType::f32},
      .reference = reference_from([](auto& io) { reference::tensor_stats(io); }),
      .properties = {{.name = "order_does_not_count",
                      .states = "x in reverse order gives the same",
                      .broken = changed_by_reversing},
                     {.name = "negation_turns_the_range",
                      .states = "the least of -x is minus the largest of x, and the other way round",
                      .broken = not_turned_by_negating}},
      .mutants = {{"started_from_1e38", start_from_large_numbers},
                  {"started_from_zero", start_from_zero},
                  {"divided_by_all", divide_by_all},
                  {"infinities_counted_as_nans", count_infinities_as_nans},
                  {"one_too_many", miscount_by_one}},
      .flops = [](const Case& c) { return 3.0 * static_cast<double>(c.dim("n")); },
  };
}

}  // namespace assay::ops::tensor_stats
