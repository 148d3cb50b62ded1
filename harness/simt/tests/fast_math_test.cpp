// Approximate functions: errors stay inside the documented bounds, fill them, and are the same for the same arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "harness/simt/include/simt/fast_math.h"
#include "harness/simt/include/simt/rng.h"

namespace assay::simt {
namespace {

// The seed of a launch, without one.
class Seeded {
 public:
  explicit Seeded(uint64_t seed) { block.approximation = seed; }
  ~Seeded() { block.approximation = 0; }
  Seeded(const Seeded&) = delete;
  Seeded& operator=(const Seeded&) = delete;
};

double ulps(double count, double of) { return count * std::ldexp(1.0, std::max(std::ilogb(of) - 23, -149)); }

// A function with its documented bound: for ordinary arguments in a range, against the function in double.
struct Documented {
  const char* name;
  float low, high;
  std::function<float(float)> approximate;
  std::function<double(double)> exact;
  std::function<double(double x, double exact)> bound;
};

void PrintTo(const Documented& documented, std::ostream* out) { *out << documented.name; }

const std::vector<Documented>& documented() {
  static const auto three_ulps = [](double, double y) { return ulps(3, y); };
  static const auto two_ulps = [](double, double y) { return ulps(2, y); };
  static const auto constant = [](double bound) { return [=](double, double) { return bound; }; };
  static const double sine = std::exp2(-21.41), cosine = std::exp2(-21.19);
  static const auto wide = [](double x, double) { return std::fabs(x) * 0x1p-23; };
  static const std::vector<Documented> all = {
      {"expf", -80, 80, [](float x) { return __expf(x); }, [](double x) { return std::exp(x); },
       [](double x, double y) { return ulps(2 + std::floor(std::fabs(1.173 * x)), y); }},
      {"exp10f", -35, 35, [](float x) { return __exp10f(x); }, [](double x) { return ::exp10(x); },
       [](double x, double y) { return ulps(2 + std::floor(std::fabs(2.97 * x)), y); }},
      {"logf near 1", 0.5f, 2, [](float x) { return __logf(x); }, [](double x) { return std::log(x); }, constant(sine)},
      {"logf", 2.1f, 1e6f, [](float x) { return __logf(x); }, [](double x) { return std::log(x); }, three_ulps},
      {"log2f near 1", 0.5f, 2, [](float x) { return __log2f(x); }, [](double x) { return std::log2(x); },
       constant(0x1p-22)},
      {"log2f", 2.1f, 1e6f, [](float x) { return __log2f(x); }, [](double x) { return std::log2(x); }, two_ulps},
      {"log10f near 1", 0.5f, 2, [](float x) { return __log10f(x); }, [](double x) { return std::log10(x); },
       constant(0x1p-24)},
      {"log10f", 2.1f, 1e6f, [](float x) { return __log10f(x); }, [](double x) { return std::log10(x); }, three_ulps},
      {"sinf", -3.14f, 3.14f, [](float x) { return __sinf(x); }, [](double x) { return std::sin(x); }, constant(sine)},
      {"sinf of large angles", 400, 2e6f, [](float x) { return __sinf(x); }, [](double x) { return std::sin(x); },
       wide},
      {"cosf", -3.14f, 3.14f, [](float x) { return __cosf(x); }, [](double x) { return std::cos(x); },
       constant(cosine)},
      {"cosf of large angles", 400, 2e6f, [](float x) { return __cosf(x); }, [](double x) { return std::cos(x); },
       wide},
      {"tanhf", -4, 4, [](float x) { return __tanhf(x); }, [](double x) { return std::tanh(x); },
       [](double, double y) { return std::fabs(y) * 0x1p-11; }},
      {"rsqrtf", 1e-6f, 1e6f, [](float x) { return rsqrtf(x); }, [](double x) { return 1 / std::sqrt(x); }, two_ulps},
      {"fdividef", 1e-6f, 1e6f, [](float x) { return __fdividef(3, x); }, [](double x) { return 3 / x; }, two_ulps},
  };
  return all;
}

class Bounds : public testing::TestWithParam<Documented> {};
INSTANTIATE_TEST_SUITE_P(FastMath, Bounds, testing::ValuesIn(documented()));

TEST_P(Bounds, AreKeptAndFilled) {
  const Documented& function = GetParam();
  Rng rng(1);
  double lowest = 0, highest = 0;  // errors as parts of the bound
  for (const uint64_t seed : {1u, 2u, 3u}) {
    const Seeded seeded(seed);
    for (int i = 0; i < 20000; ++i) {
      const double at = static_cast<double>(rng.next() >> 11) * 0x1p-53;
      const float x = function.low + static_cast<float>(at) * (function.high - function.low);
      const double exact = function.exact(x), bound = function.bound(x, exact);
      const double error = static_cast<double>(function.approximate(x)) - exact;
      ASSERT_LE(std::fabs(error), bound) << "seed " << seed << ", x = " << x;
      if (bound > 0) lowest = std::min(lowest, error / bound), highest = std::max(highest, error / bound);
    }
  }
  EXPECT_LT(lowest, -0.7);
  EXPECT_GT(highest, 0.7);
}

TEST_P(Bounds, AreNotUsedWithoutASeed) {
  const Documented& function = GetParam();
  for (int i = 0; i <= 100; ++i) {
    const float x = function.low + static_cast<float>(i) / 100 * (function.high - function.low);
    const double exact = function.exact(x);
    EXPECT_LE(std::fabs(static_cast<double>(function.approximate(x)) - exact), ulps(2, exact))
        << x;  // the host's own errors
  }
}

TEST_P(Bounds, GiveOneErrorForOneArgumentAndSeed) {
  const Documented& function = GetParam();
  int same_under_two_seeds = 0;
  for (int i = 0; i <= 100; ++i) {
    const float x = function.low + static_cast<float>(i) / 100 * (function.high - function.low);
    const auto under = [&](uint64_t seed) {
      const Seeded seeded(seed);
      return function.approximate(x);
    };
    ASSERT_EQ(under(7), under(7)) << x;
    same_under_two_seeds += under(7) == under(8);
  }
  EXPECT_LT(same_under_two_seeds, 80);
}

TEST(FastMath, KeepsSpecialValues) {
  const Seeded seeded(5);
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(__expf(0), 1);
  EXPECT_EQ(__expf(-infinity), 0);
  EXPECT_EQ(__expf(infinity), infinity);
  EXPECT_EQ(__expf(-200), 0);
  EXPECT_GE(__expf(-103), 0);
  EXPECT_EQ(__logf(0), -infinity);
  EXPECT_EQ(__logf(1), 0);
  EXPECT_TRUE(std::isnan(__logf(-1)));
  EXPECT_EQ(__sinf(0), 0);
  EXPECT_EQ(__cosf(0), 1);
  EXPECT_TRUE(std::isnan(__sinf(infinity)));
  EXPECT_EQ(rsqrtf(0), infinity);
  EXPECT_EQ(rsqrtf(infinity), 0);
  for (const float y : {nan, -nan}) {
    EXPECT_TRUE(std::isnan(__expf(y)));
    EXPECT_TRUE(std::isnan(__fdividef(1, y)));
  }
}

// The reciprocal of a divisor beyond 2^126 is flushed to 0.
TEST(FastMath, DividesByHugeNumbersAsTheGpuDoes) {
  const Seeded seeded(5);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(__fdividef(3e38f, 1.5e38f), 0);
  EXPECT_TRUE(std::isnan(__fdividef(infinity, 1.5e38f)));
  EXPECT_NEAR(__fdividef(3e37f, 8e37f), 0.375, 1e-6);
}

// A power is as exp2(y log2 x) is: NaN for a negative base, and for 0 to the power of 0.
TEST(FastMath, RaisesToAPowerByTheLogarithm) {
  const Seeded seeded(5);
  EXPECT_TRUE(std::isnan(__powf(-2, 2)));
  EXPECT_TRUE(std::isnan(__powf(0, 0)));
  EXPECT_NEAR(__powf(2, 10), 1024, 0.01);
  EXPECT_NEAR(__powf(10, -3), 0.001, 1e-8);
  EXPECT_NEAR(__tanf(1), std::tan(1), 1e-5);
}

TEST(FastMath, GivesSineAndCosineTogetherWhatTheyAreAlone) {
  const Seeded seeded(9);
  for (const float x : {0.1f, 3.0f, 1e5f}) {
    float s = 0, c = 0;
    __sincosf(x, &s, &c);
    EXPECT_EQ(s, __sinf(x));
    EXPECT_EQ(c, __cosf(x));
  }
}

}  // namespace
}  // namespace assay::simt
