// Budgets of sums against real sums in f32, f16 and bf16: data of many kinds and lengths, in every order of
// test_sums.h.
//
// ASSAY_SUMS=1000000 asks for that many sums of each format instead of the few that every run of the tests makes,
// ASSAY_SUMS_TERMS for up to so many terms, and ASSAY_SUMS_SEED for others. Lengths are spread evenly over the binades.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "harness/op/sum.h"
#include "harness/op/test_sums.h"
#include "harness/tensor/dtype.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

double unit(Rng& rng) { return static_cast<double>(rng.between(0, (int64_t{1} << 53) - 1)) * 0x1p-53; }
double scale(Rng& rng, int64_t binades) { return std::ldexp(1.0, -static_cast<int>(rng.between(0, binades))); }
double rounded(DType dtype, double value) { return to_double(dtype, from_double(dtype, value)); }

struct Data {
  const char* name;
  std::function<void(Terms&, Rng&)> make;
};

// Each term by itself.
std::function<void(Terms&, Rng&)> each(double (*term)(Rng&)) {
  return [term](Terms& terms, Rng& rng) {
    for (float& each_term : terms) each_term = static_cast<float>(term(rng));
  };
}

// All of so many values, in random order, or one after the other again and again.
std::function<void(Terms&, Rng&)> of_values(int64_t least, int64_t most, double (*value)(Rng&), bool in_turn) {
  return [=](Terms& terms, Rng& rng) {
    std::vector<double> values(static_cast<size_t>(rng.between(least, most)));
    for (double& v : values) v = value(rng);
    for (size_t i = 0; i < terms.size(); ++i) {
      const auto at = in_turn ? i : static_cast<size_t>(rng.between(0, std::ssize(values) - 1));
      terms[i] = static_cast<float>(values[at % values.size()]);
    }
  };
}

// Makes a run of terms of one sign, then as many of the other.
void alternating(Terms& terms, Rng& rng) {
  const auto run = static_cast<size_t>(int64_t{1} << rng.between(0, 7));
  for (size_t i = 0; i < terms.size(); ++i) terms[i] = static_cast<float>((i / run % 2 ? -1 : 1) * (0.1 + unit(rng)));
}

void nearly_cancelling_pairs(Terms& terms, Rng& rng) {
  const double apart = scale(rng, 12);
  for (size_t i = 0; i < terms.size(); ++i)
    terms[i] = static_cast<float>(i % 2 ? -terms[i - 1] * (1 + apart * unit(rng)) : normal(rng));
}

void near_one_value(Terms& terms, Rng& rng) {
  const double middle = 1 + unit(rng), width = scale(rng, 20);
  for (float& term : terms) term = static_cast<float>(middle * (1 + width * normal(rng)));
}

void shifted(Terms& terms, Rng& rng) {
  const double mean = scale(rng, 10);
  for (float& term : terms) term = static_cast<float>(mean + normal(rng));
}

void random_walk(Terms& terms, Rng& rng) {
  double at = 0;
  for (float& term : terms) term = static_cast<float>(at = 0.99 * at + 0.1 * normal(rng));
}

// One is 1, the others are far smaller, perhaps too small to be seen beside it.
void one_dominates(Terms& terms, Rng& rng) {
  const double others = scale(rng, 30);
  for (float& term : terms) term = static_cast<float>(others * unit(rng));
  terms[static_cast<size_t>(rng.between(0, std::ssize(terms) - 1))] = 1;
}

void softmax_weights(Terms& terms, Rng& rng) {
  const double temperature = std::ldexp(1.0, static_cast<int>(rng.between(-1, 5)));
  for (float& term : terms) term = static_cast<float>(temperature * normal(rng));
  const float maximum = *std::max_element(terms.begin(), terms.end());
  for (float& term : terms) term = std::exp(term - maximum);
}

void sorted(Terms& terms, Rng& rng) {
  for (float& term : terms) term = static_cast<float>(normal(rng));
  std::sort(terms.begin(), terms.end());
}

void sorted_of_one_sign(Terms& terms, Rng& rng) {
  for (float& term : terms) term = static_cast<float>(unit(rng));
  std::sort(terms.begin(), terms.end());
}

double bf16(Rng& rng) { return rounded(DType::bf16, normal(rng)); }
double f16(Rng& rng) { return rounded(DType::f16, normal(rng)); }

std::vector<Data> all_data() {
  std::vector<Data> data = {
      {"uniform, one sign", each(unit)},
      {"normal, one sign", each([](Rng& rng) { return std::fabs(normal(rng)); })},
      {"squares", each([](Rng& rng) { return std::pow(normal(rng), 2); })},
      {"products of bf16", each([](Rng& rng) { return bf16(rng) * bf16(rng); })},
      {"products of f16", each([](Rng& rng) { return f16(rng) * f16(rng); })},
      {"squares of bf16", each([](Rng& rng) { return std::pow(bf16(rng), 2); })},
      {"squares of f16", each([](Rng& rng) { return std::pow(f16(rng), 2); })},
      {"of 16 binades", each([](Rng& rng) { return normal(rng) / scale(rng, 16); })},
      {"few values", of_values(2, 30, normal, false)},
      {"few values, one sign", of_values(2, 30, unit, false)},
      {"few values in turn", of_values(2, 30, normal, true)},
      {"a code book", of_values(30, 300, normal, false)},
      {"a code book, one sign", of_values(30, 300, unit, false)},
      {"half of them equal", each([](Rng& rng) { return rng.between(0, 1) ? 1.1 : unit(rng); })},
      {"alternating", alternating},
      {"nearly cancelling pairs", nearly_cancelling_pairs},
      {"near one value", near_one_value},
      {"shifted", shifted},
      {"random walk", random_walk},
      {"one dominates", one_dominates},
      {"softmax weights", softmax_weights},
      {"sorted", sorted},
      {"sorted, one sign", sorted_of_one_sign},
  };
  for (const Fill& fill : fills())
    if (!fill.has_nan && !fill.has_infinity)
      data.push_back({fill.name.c_str(), [&fill](Terms& terms, Rng& rng) {
                        const int64_t count = std::ssize(terms);
                        std::vector<double> values(terms.size());
                        fill.make({.dtype = DType::f32, .count = count, .cols = count, .magnitude = 100}, rng, values);
                        terms.assign(values.begin(), values.end());
                      }});
  return data;
}

struct Judged {
  double budget = 0;
  long double exact = 0;
};

Judged judged(const Terms& terms) {
  Sum<Tracked> sum;
  long double exact = 0;
  for (const float term : terms) {
    sum.add(static_cast<double>(term));
    exact += static_cast<long double>(term);
  }
  return {kBudgetFactor * sum.value().spread(), exact};
}

struct Format {
  const char* name;
  DType dtype;
  Precision precision;
  Adder add;
  double sum_max;  // of magnitudes: beyond it partial sums may be no numbers
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

class SumCampaign : public testing::TestWithParam<Format> {};

TEST_P(SumCampaign, NoOrderOfAnyDataErrsBeyondItsBudget) {
  const Format& format = GetParam();
  const TrackedPrecision declared(format.precision);
  const uint64_t sums = number_from("ASSAY_SUMS", 30'000), seed = number_from("ASSAY_SUMS_SEED", 1);
  const auto terms_max = static_cast<double>(number_from("ASSAY_SUMS_TERMS", 4096));
  const std::vector<SumOrder> orders = sum_orders(format.add);
  const std::vector<Data> data = all_data();
  std::map<std::string, double> worst;  // error over budget, by data and by order
  for (uint64_t set = 0; set * orders.size() < sums; ++set) {
    Rng rng = Rng::stream(seed, "sums " + std::to_string(set));
    const Data& kind = data[set % data.size()];
    Terms terms(static_cast<size_t>(std::exp2(unit(rng) * std::log2(terms_max))));
    kind.make(terms, rng);
    double magnitude = 0;
    for (float& term : terms) {
      term = static_cast<float>(rounded(format.dtype, static_cast<double>(term)));
      magnitude += std::fabs(static_cast<double>(term));
    }
    if (!(magnitude <= format.sum_max)) continue;
    const Judged right = judged(terms);
    for (const SumOrder& order : orders) {
      const auto error = static_cast<double>(std::fabs(static_cast<long double>(order.sum(terms, rng)) - right.exact));
      ASSERT_LE(error, right.budget) << kind.name << ", " << order.name << ", n=" << terms.size() << ", set " << set;
      if (error > 0 && terms.size() > 6) {  // of fewer the budget is the largest error there can be, which some reach
        double &by_data = worst[kind.name], &by_order = worst["  " + order.name];
        by_data = std::max(by_data, error / right.budget);
        by_order = std::max(by_order, error / right.budget);
      }
    }
  }
  EXPECT_GT(worst.size(), orders.size() + 20) << "data and orders that round at all";
  if (std::getenv("ASSAY_SUMS"))
    for (const auto& [name, ratio] : worst) std::printf("%-28s %.3f\n", name.c_str(), ratio);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, SumCampaign,
    testing::Values(Format{"f32", DType::f32, {}, {}, std::numeric_limits<double>::infinity()},
                    Format{"f16", DType::f16, {.unit = 0x1p-11, .smallest = 0x1p-25}, Adder(11), 30'000},
                    Format{"bf16", DType::bf16, {.unit = 0x1p-8, .smallest = 0x1p-134}, Adder(8), 1e30}),
    [](const testing::TestParamInfo<Format>& format) { return std::string(format.param.name); });

}  // namespace
}  // namespace assay
