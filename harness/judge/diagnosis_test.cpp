// Tests which declared roundings are named for values that miss their budgets.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "harness/judge/hint.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

// The declarations that are named for a norm whose element is `scaled(x rstd, gamma)`, over data of `fill`.
std::vector<std::string> named_for(const std::string& fill, const std::function<double(double, double)>& scaled) {
  const Contract& contract = *find_op("rms_norm_forward");
  const Case c =
      *parse_case("rms_norm_forward/made_up f16 T=8 aE=64 pad=0 eps=1e-5 fill=" + fill + " seed=7 schedule=0");
  const Variant variant;
  Trial trial(contract, variant, c);
  const Tensor &x = trial.got.get("x"), &gamma = trial.got.get("gamma");
  constexpr int64_t kRows = 8, kWidth = 64;
  for (int64_t row = 0; row < kRows; ++row) {
    double squares = 0;
    for (int64_t i = 0; i < kWidth; ++i) squares += x.at(row * kWidth + i) * x.at(row * kWidth + i);
    const double rstd = 1 / std::sqrt(squares / kWidth + 1e-5);
    trial.got.get("rstd").set(row, rstd);
    for (int64_t i = 0; i < kWidth; ++i)
      trial.got.get("y").set(row * kWidth + i, scaled(x.at(row * kWidth + i) * rstd, gamma.at(i)));
  }
  Findings findings = judge::values(trial);
  EXPECT_EQ(findings.size(), 1u) << fill << ": values are wrong";
  judge::diagnosis(trial, findings);
  return findings.empty() ? std::vector<std::string>() : hinted_declarations(findings[0].detail);
}

double rounded(double value) { return to_double(DType::f16, from_double(DType::f16, value)); }

TEST(Diagnosis, NamesTheRoundingWhateverOneValueOutweighsTheOthers) {
  const auto twice = [](double normalised, double gamma) { return rounded(normalised) * gamma; };
  for (const char* fill : {"normal", "one_huge", "integers"})
    EXPECT_EQ(named_for(fill, twice), std::vector<std::string>{"rounds = [\"normalised\"]"}) << fill;
}

TEST(Diagnosis, NamesNoneForAWrongFactor) {
  const auto factor = [](double normalised, double gamma) { return 1.0006 * normalised * gamma; };
  for (const char* fill : {"normal", "one_huge"})
    EXPECT_EQ(named_for(fill, factor), std::vector<std::string>()) << fill;
}

}  // namespace
}  // namespace assay
