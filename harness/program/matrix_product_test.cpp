// Products of matrices against plain loops in double, over shapes, transposes, leading dimensions and types.
#include "harness/program/matrix_product.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "harness/base/rng.h"

namespace assay::program {
namespace {

// A matrix with numbers that its type holds, and other numbers where no element lies.
struct Stored {
  std::vector<std::byte> bytes;
  Factor factor;
};
Stored stored(Rng& rng, Number type, int64_t rows, int64_t columns, int64_t gap, bool is_transposed) {
  const int64_t height = is_transposed ? columns : rows, width = is_transposed ? rows : columns;
  Stored made;
  made.factor = {nullptr, type, height + gap, is_transposed};
  made.bytes.resize(static_cast<size_t>((height + gap) * width) * bytes_of(type) + 1);
  for (int64_t i = 0; i < (height + gap) * width; ++i)
    store(type, made.bytes.data(), i, static_cast<double>(static_cast<int64_t>(rng.between(0, 200)) - 100) / 8);
  made.factor.begin = made.bytes.data();
  return made;
}

double element(const Factor& factor, int64_t i, int64_t j) {
  return load<double>(factor.type, factor.begin, factor.is_transposed ? j + i * factor.ld : i + j * factor.ld);
}

// The largest error of the product, in units of the least of `Sum` at the sum of the terms' magnitudes.
template <class Sum>
double worst_error(const Factor& a, const Factor& b, int64_t m, int64_t n, int64_t k, double unit) {
  const auto product = product_of<Sum>(a, b, m, n, k, Threads::one);
  EXPECT_EQ(product, product_of<Sum>(a, b, m, n, k, Threads::all_cores));
  double worst = 0;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      double sum = 0, magnitude = 1;
      for (int64_t l = 0; l < k; ++l) {
        const double term = element(a, i, l) * element(b, l, j);
        sum += term, magnitude += std::abs(term);
      }
      const auto found = product[static_cast<size_t>(i + j * m)];
      const double value = std::is_same_v<Sum, uint32_t> ? static_cast<int32_t>(found) : static_cast<double>(found);
      worst = std::max(worst, std::abs(value - sum) / magnitude / unit);
    }
  return worst;
}

RC_GTEST_PROP(MatrixProduct, IsThatOfPlainLoops, ()) {
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  const auto size = [] { return *rc::gen::inRange<int64_t>(0, 70); };
  const int64_t m = size(), n = size(), k = size(), gap = *rc::gen::inRange<int64_t>(0, 3);
  const bool turns_a = *rc::gen::arbitrary<bool>(), turns_b = *rc::gen::arbitrary<bool>();
  const auto error_of = [&]<class Sum>(Sum, Number type, double unit) {
    const Stored a = stored(rng, type, m, k, gap, turns_a), b = stored(rng, type, k, n, gap, turns_b);
    return worst_error<Sum>(a.factor, b.factor, m, n, k, unit);
  };
  const auto terms = static_cast<double>(k) + 1;
  for (const Number type : {Number::f32, Number::f16, Number::bf16, Number::i8})
    RC_ASSERT(error_of(float(), type, 0x1p-24) <= terms);
  RC_ASSERT(error_of(double(), Number::f64, 0x1p-53) <= 2 * terms);
  RC_ASSERT(error_of(uint32_t(), Number::i8, 0x1p-40) == 0);
}

TEST(MatrixProduct, LargeOnesAreTheSameOnAllCores) {
  Rng rng(7);
  const Stored a = stored(rng, Number::f32, 130, 120, 0, true), b = stored(rng, Number::f32, 120, 90, 5, false);
  EXPECT_LE(worst_error<float>(a.factor, b.factor, 130, 90, 120, 0x1p-24), 121);
}

TEST(Numbers, AreRoundedOnce) {
  uint16_t half = 0;
  store(Number::f16, &half, 0, 1 + 0x1p-11 + 0x1p-40);  // by way of float it would be a tie, and 1
  EXPECT_EQ(load<double>(Number::f16, &half, 0), 1 + 0x1p-10);
  store(Number::bf16, &half, 0, 1 + 0x1p-8f);
  EXPECT_EQ(load<double>(Number::bf16, &half, 0), 1) << "ties to even";
}

}  // namespace
}  // namespace assay::program
