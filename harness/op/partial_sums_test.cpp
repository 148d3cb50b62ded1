// ΣP² of the orders against the sums themselves, and the mean over all orders against its formula.
#include "harness/op/partial_sums.h"

#include <gtest/gtest.h>

#include <numeric>

#include "harness/op/test_sums.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

using Doubles = std::vector<double>;

// The sum of the squares of the partial sums from the second on.
double squares_of(const Doubles& terms) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    sum += terms[i];
    if (i > 0) squares += sum * sum;
  }
  return squares;
}

double strided_squares(const Doubles& terms, size_t stride) {
  double squares = 0;
  for (size_t first = 0; first < std::min(stride, terms.size()); ++first) {
    Doubles strand;
    for (size_t i = first; i < terms.size(); i += stride) strand.push_back(terms[i]);
    squares += squares_of(strand);
  }
  return squares;
}

double tree_squares(Doubles terms) {
  double squares = 0;
  while (terms.size() > 1) {
    Doubles above;
    for (size_t i = 0; i + 1 < terms.size(); i += 2) {
      above.push_back(terms[i] + terms[i + 1]);
      squares += above.back() * above.back();
    }
    if (terms.size() % 2) above.push_back(terms.back());
    terms = above;
  }
  return squares;
}

double largest_squares(const Doubles& terms) {
  PartialSums sums;
  for (const double term : terms) sums.add(term);
  return sums.largest_squares();
}

Doubles normals(size_t count, uint64_t seed) {
  Rng rng = Rng::stream(seed, "terms");
  Doubles terms(count);
  for (double& term : terms) term = normal(rng);
  return terms;
}

TEST(PartialSums, OfAFewTermsAreThoseOfTheWorstPermutation) {
  EXPECT_EQ(largest_squares({3}), 0);
  EXPECT_DOUBLE_EQ(largest_squares({3, 4}), 49);
  EXPECT_DOUBLE_EQ(largest_squares({3, -3, 1}), 2 * 49);
}

TEST(PartialSums, CoverTheSerialAndTheReversedOrder) {
  for (const size_t count : {3, 10, 100, 1000})
    for (uint64_t seed = 0; seed < 50; ++seed) {
      Doubles terms = normals(count, seed);
      const double largest = largest_squares(terms);
      EXPECT_GE(largest, squares_of(terms) * (1 - 1e-12));
      std::reverse(terms.begin(), terms.end());
      EXPECT_GE(largest, squares_of(terms) * (1 - 1e-12));
    }
}

// The formula counts the bridge kBridge times: 7 times what all orders have on average, for terms that cancel.
TEST(PartialSums, OfCancellingTermsAreSevenTimesTheMeanOverAllOrders) {
  Doubles terms = {-4.5, -1.25, -0.75, 0.25, 0.5, 2, 3.75};
  double sum = 0;
  int64_t orders = 0;
  do {
    sum += squares_of(terms);
    ++orders;
  } while (std::next_permutation(terms.begin(), terms.end()));
  ASSERT_EQ(orders, 5040);
  const double mean = sum / static_cast<double>(orders);
  EXPECT_NEAR(largest_squares({0.25, -4.5, 3.75, 2, 0.5, -1.25, -0.75}), 7 * mean, 1e-9 * mean);
}

// All orders of equal terms have the same partial sums.
TEST(PartialSums, OfEqualTermsAreExact) {
  EXPECT_NEAR(largest_squares(Doubles(1000, 0.5)), squares_of(Doubles(1000, 0.5)), 1e-6);
}

TEST(PartialSums, CoverTreesAndStrandsOfDataWithAPeriod) {
  for (const size_t period : {1, 2, 4, 8, 16, 32, 64})
    for (const size_t count : {64, 1000, 20'000}) {
      Doubles terms(count);
      for (size_t i = 0; i < count; ++i) terms[i] = i / period % 2 ? -1 : 1;
      const double largest = largest_squares(terms);
      EXPECT_GE(1.8 * largest, tree_squares(terms)) << period;
      for (size_t stride = 2; stride <= 256; stride *= 2)
        EXPECT_GE(1.01 * largest, strided_squares(terms, stride))  // all terms except the first eight
            << period << " strided by " << stride;
    }
}

// The budgets are made for a long sum of zero-mean terms, next to (n-1) (Σ|t|)².
TEST(PartialSums, OfLongSumsAreFarBelowThoseOfTheWorstPermutation) {
  const Doubles terms = normals(65'536, 1);
  const double magnitude =
      std::accumulate(terms.begin(), terms.end(), 0.0, [](double a, double b) { return a + std::fabs(b); });
  EXPECT_LT(largest_squares(terms), 65'535 * magnitude * magnitude / 10'000);
  EXPECT_GT(largest_squares(terms), squares_of(terms));
}

}  // namespace
}  // namespace assay
