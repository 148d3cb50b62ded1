// The power audit: after a pass, the judge is shown wrong outputs made from the right one. A case whose budget accepts
// one of them is blind to it; an op × dtype that is blind too often is MISTRUSTED (harness/report/audit.h).
//
// Not every changed output is wrong: where everything cancels, the right value is itself rounding noise, and its double
// is as good. So an output counts as wrong only if some element of it is off by kNoise times the largest error that the
// reference makes when it is run in plain f32, with the roundings that the variant declares. That is measured, and owes
// nothing to the budgets that are audited.
#include <cmath>
#include <limits>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

using Outputs = std::vector<RefTensor<double>>;

// A wrong output of one tensor, made in place from the right values. `initial` is what an accumulated tensor started
// from, zeros otherwise.
struct Spoiler {
  std::string_view name;
  void (*spoil)(RefTensor<double>& right, const std::vector<double>& initial, DType dtype);
};

int64_t columns(const RefTensor<double>& tensor) {
  return tensor.shape.empty() ? 1 : std::max<int64_t>(1, tensor.shape.back());
}

void round_lower(RefTensor<double>& right, const std::vector<double>&, DType dtype) {
  // One dtype lower keeps 11 bits of an f32 (f16), 8 of an f16 (bf16) and 4 of a bf16 (fp8 e4m3).
  const int kept = significand_bits(dtype) == 24 ? 11 : significand_bits(dtype) == 11 ? 8 : 4;
  for (double& value : right.values) {
    if (value == 0 || !std::isfinite(value)) continue;
    const double spacing = std::ldexp(1.0, std::ilogb(value) - kept + 1);
    value = std::nearbyint(value / spacing) * spacing;
  }
}

constexpr Spoiler kSpoilers[] = {
    {"nothing_added", [](auto& right, auto& initial, DType) { right.values = initial; }},
    {"sign_flipped",
     [](auto& right, auto& initial, DType) {
       for (size_t i = 0; i < initial.size(); ++i) right.values[i] = 2 * initial[i] - right.values[i];
     }},
    {"scaled_by_1.02",
     [](auto& right, auto& initial, DType) {
       for (size_t i = 0; i < initial.size(); ++i) right.values[i] += 0.02 * (right.values[i] - initial[i]);
     }},
    {"initial_values_lost",
     [](auto& right, auto& initial, DType) {
       for (size_t i = 0; i < initial.size(); ++i) right.values[i] -= initial[i];
     }},
    {"stale_row",
     [](auto& right, auto&, DType) {
       const int64_t cols = columns(right), row = static_cast<int64_t>(right.values.size()) / cols / 2;
       if (row == 0) return;
       for (int64_t c = 0; c < cols; ++c) right[row * cols + c] = right[(row - 1) * cols + c];
     }},
    {"last_tile_zero",
     [](auto& right, auto&, DType) {
       const auto count = static_cast<int64_t>(right.values.size());
       for (int64_t i = std::max<int64_t>(0, count - 32); i < count; ++i) right[i] = 0;
     }},
    {"rounded_lower", round_lower},
};

constexpr double kNoise = 16;

// The largest error of the plain f32 computation with the roundings that the variant declares, for each written tensor.
// Infinite where f32 overflows.
std::vector<double> noise_of(const Trial& trial) {
  std::vector<double> noise;
  const TrackedPrecision precision = declared_precision(trial.variant, trial.c);
  const auto narrow = trial.contract.reference.narrow(trial.c, trial.given);
  for (size_t t = 0; t < narrow.size(); ++t) {
    double largest = 0;
    for (size_t i = 0; i < narrow[t].values.size(); ++i) {
      const double right = trial.expected[t].value[i];
      if (!std::isfinite(right) || trial.expected[t].alternatives.contains(static_cast<int64_t>(i))) continue;
      const double error = std::fabs(narrow[t].values[i] - right);
      if (!(error <= largest)) largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }
    noise.push_back(largest);
  }
  return noise;
}

Outputs right_outputs(const Expected& expected) {
  Outputs outputs;
  for (const ExpectedTensor& tensor : expected) outputs.push_back({tensor.name, tensor.shape, tensor.value});
  return outputs;
}

// Whether element i of a wrong output is off by more than noise.
bool is_wrong(const ExpectedTensor& want, int64_t i, double wrong, double noise) {
  const double right = want.value[static_cast<size_t>(i)];
  if (!want.is_known(i) || want.is_alternative(i, from_double(want.dtype, wrong))) return false;
  const auto rounded = [&](double value) { return to_double(want.dtype, from_double(want.dtype, value)); };
  if (rounded(wrong) == rounded(right)) return false;
  if (!std::isfinite(right) || !std::isfinite(wrong)) return !(std::isnan(right) && std::isnan(wrong));
  return std::fabs(wrong - right) > kNoise * noise;
}

// Adds a probe for `wrong`, unless no element of it is wrong.
void probe(Trial& trial, const std::vector<double>& noise, const std::string& name, const Outputs& wrong) {
  bool differs = false, noticed = false;
  for (size_t t = 0; t < wrong.size() && !noticed; ++t) {
    const ExpectedTensor& want = trial.expected[t];
    for (int64_t i = 0; i < want.count() && !noticed; ++i) {
      if (!is_wrong(want, i, wrong[t][i], noise[t])) continue;
      differs = true;
      noticed = compare(want, i, from_double(want.dtype, wrong[t][i])).error_over_budget > 1;
    }
  }
  if (differs) trial.row.power.push_back({name, noticed});
}

}  // namespace

void power(Trial& trial) {
  const std::vector<double> noise = noise_of(trial);
  for (size_t t = 0; t < trial.expected.size(); ++t) {
    const ExpectedTensor& want = trial.expected[t];
    const Tensor& given = trial.given.get(want.name);
    std::vector<double> initial(want.value.size());
    if (given.role() == Role::accumulate)
      for (int64_t i = 0; i < given.count(); ++i) initial[static_cast<size_t>(i)] = given.at(i);
    for (const Spoiler& spoiler : kSpoilers) {
      Outputs outputs = right_outputs(trial.expected);
      spoiler.spoil(outputs[t], initial, want.dtype);
      probe(trial, noise, std::string(spoiler.name) + ":" + want.name, outputs);
    }
  }
  for (const WrongOutput& wrong : trial.contract.wrong_outputs) {
    Outputs outputs = right_outputs(trial.expected);
    wrong.spoil(trial.c, trial.given, outputs);
    probe(trial, noise, wrong.name, outputs);
  }
}

}  // namespace assay::judge
