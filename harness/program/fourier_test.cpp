// The transform beside its definition.
#include "harness/program/fourier.h"

#include <gtest/gtest.h>

#include <array>

namespace assay::program {
namespace {

using Complex = std::complex<double>;

TEST(Fourier, IsItsDefinitionInTwoDimensions) {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{1, 1}, {3, 8}, {6, 35}, {16, 13}}) {
    std::vector<Complex> values(rows * columns);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = {static_cast<double>(i * 7 % 11), static_cast<double>(i * 5 % 13)};
    std::vector<Complex> result = values;
    transform(result, std::array{rows, columns}, -1);
    for (size_t p = 0; p < rows; ++p)
      for (size_t q = 0; q < columns; ++q) {
        Complex sum = 0;
        for (size_t i = 0; i < rows; ++i)
          for (size_t j = 0; j < columns; ++j)
            sum += values[i * columns + j] *
                   std::polar(1.0, -6.283185307179586 * (static_cast<double>(p * i) / static_cast<double>(rows) +
                                                         static_cast<double>(q * j) / static_cast<double>(columns)));
        EXPECT_LT(std::abs(sum - result[p * columns + q]), 1e-9) << rows << " " << columns;
      }
  }
}

TEST(Fourier, KnowsWhatTakesTooLong) {
  EXPECT_TRUE(can_transform(1) && can_transform(1 << 20) && can_transform(4093));
  EXPECT_FALSE(can_transform(0) || can_transform(1000003));
}

}  // namespace
}  // namespace assay::program
