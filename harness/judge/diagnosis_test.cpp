// Tests which declared roundings are named for values that miss their budgets.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "harness/judge/hint.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

// The declarations that are named for a norm whose element is `scaled(x rstd, gamma)`, over cases of `params`.
std::vector<std::string> named_for(const std::string& params, const std::function<double(double, double)>& scaled) {
  const Contract& contract = *find_op("rms_norm_forward");
  const Case c = *parse_case("rms_norm_forward/made_up f16 pad=0 eps=1e-12 schedule=0 " + params);
  const Variant variant;
  Trial trial(contract, variant, c);
  const Tensor &x = trial.got.get("x"), &gamma = trial.got.get("gamma");
  const int64_t rows = c.dim("T"), width = c.dim("aE");
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i) squares += x.at(row * width + i) * x.at(row * width + i);
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-12);
    trial.got.get("rstd").set(row, rstd);
    for (int64_t i = 0; i < width; ++i)
      trial.got.get("y").set(row * width + i, scaled(x.at(row * width + i) * rstd, gamma.at(i)));
  }
  Findings findings = judge::values(trial);
  EXPECT_EQ(findings.size(), 1u) << params << ": values are wrong";
  judge::diagnosis(trial, findings);
  return findings.empty() ? std::vector<std::string>() : hinted_declarations(findings[0].detail);
}

double rounded(double value) { return to_double(DType::f16, from_double(DType::f16, value)); }

TEST(Diagnosis, NamesTheRoundingWhateverOneValueOutweighsTheOthers) {
  const auto twice = [](double normalised, double gamma) { return rounded(normalised) * gamma; };
  for (const char* params : {"T=8 aE=64 fill=normal seed=7", "T=1 aE=2204 fill=one_huge seed=21718",
                             "T=1 aE=2204 fill=one_huge seed=3", "T=3 aE=1004 fill=one_huge seed=21967"})
    EXPECT_EQ(named_for(params, twice), std::vector<std::string>{"rounds = [\"normalised\"]"}) << params;
}

TEST(Diagnosis, NamesNoneForAWrongFactor) {
  const auto factor = [](double normalised, double gamma) { return 1.0006 * normalised * gamma; };
  for (const char* params : {"T=8 aE=64 fill=normal seed=7", "T=8 aE=64 fill=one_huge seed=7"})
    EXPECT_EQ(named_for(params, factor), std::vector<std::string>()) << params;
}

}  // namespace
}  // namespace assay
