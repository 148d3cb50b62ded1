// The power audit: after a pass, the judge is shown wrong outputs made from the right one. A case whose budget accepts
// one of them is blind to it; an op × dtype that is blind too often is MISTRUSTED (harness/report/audit.h).
#include <cmath>

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

Outputs right_outputs(const Expected& expected) {
  Outputs outputs;
  for (const ExpectedTensor& tensor : expected) outputs.push_back({tensor.name, tensor.shape, tensor.value});
  return outputs;
}

// Adds a probe for `wrong`, unless it rounds to the same elements as the right output.
void probe(Trial& trial, const std::string& name, const Outputs& wrong) {
  bool differs = false, noticed = false;
  for (size_t t = 0; t < wrong.size() && !noticed; ++t) {
    const ExpectedTensor& want = trial.expected[t];
    for (int64_t i = 0; i < want.count() && !noticed; ++i) {
      const uint32_t bits = from_double(want.dtype, wrong[t][i]);
      if (bits == from_double(want.dtype, want.value[static_cast<size_t>(i)])) continue;
      differs = true;
      noticed = compare(want, i, bits).error_over_budget > 1;
    }
  }
  if (differs) trial.row.power.push_back({name, noticed});
}

}  // namespace

void power(Trial& trial) {
  for (size_t t = 0; t < trial.expected.size(); ++t) {
    const ExpectedTensor& want = trial.expected[t];
    const Tensor& given = trial.given.get(want.name);
    std::vector<double> initial(want.value.size());
    if (given.role() == Role::accumulate)
      for (int64_t i = 0; i < given.count(); ++i) initial[static_cast<size_t>(i)] = given.at(i);
    for (const Spoiler& spoiler : kSpoilers) {
      Outputs outputs = right_outputs(trial.expected);
      spoiler.spoil(outputs[t], initial, want.dtype);
      probe(trial, std::string(spoiler.name) + ":" + want.name, outputs);
    }
  }
  for (const WrongOutput& wrong : trial.contract.wrong_outputs) {
    Outputs outputs = right_outputs(trial.expected);
    wrong.spoil(trial.c, trial.given, outputs);
    probe(trial, wrong.name, outputs);
  }
}

}  // namespace assay::judge
