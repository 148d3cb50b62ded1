// Cooley and Tukey's splitting by prime factors, the smallest first.
#include "harness/program/fourier.h"

#include <algorithm>
#include <cmath>

namespace assay::program {
namespace {

using Complex = std::complex<double>;
constexpr size_t kLargestFactor = 4096;

size_t smallest_factor(size_t n) {
  for (size_t factor = 2; factor * factor <= n; ++factor)
    if (n % factor == 0) return factor;
  return n;
}

class Line {
 public:
  Line(size_t length, int sign) : roots_(length), terms_(kLargestFactor) {
    for (size_t i = 0; i < length; ++i)
      roots_[i] =
          std::polar(1.0, sign * 6.283185307179586476925 * static_cast<double>(i) / static_cast<double>(length));
  }

  // Transforms n values that lie `stride` apart, n a divisor of the length.
  void run(const Complex* from, size_t stride, Complex* to, size_t n) {
    if (n == 1) {
      *to = *from;
      return;
    }
    const size_t factor = smallest_factor(n), part = n / factor, step = roots_.size() / n;
    for (size_t r = 0; r < factor; ++r) run(from + r * stride, stride * factor, to + r * part, part);
    for (size_t k = 0; k < part; ++k) {
      if (factor == 2) {
        const Complex even = to[k], odd = to[part + k] * roots_[k * step];
        to[k] = even + odd;
        to[part + k] = even - odd;
        continue;
      }
      for (size_t r = 0; r < factor; ++r) terms_[r] = to[r * part + k] * roots_[r * k * step];
      for (size_t q = 0; q < factor; ++q) {
        Complex sum = 0;
        for (size_t r = 0; r < factor; ++r) sum += terms_[r] * roots_[r * q % factor * part * step];
        to[q * part + k] = sum;
      }
    }
  }

 private:
  std::vector<Complex> roots_, terms_;
};

}  // namespace

bool can_transform(size_t length) {
  while (length > 1) {
    const size_t factor = smallest_factor(length);
    if (factor > kLargestFactor) return false;
    length /= factor;
  }
  return length == 1;
}

void transform(std::span<std::complex<double>> values, std::span<const size_t> extents, int sign) {
  size_t stride = 1;
  for (size_t dimension = extents.size(); dimension-- > 0;) {
    const size_t length = extents[dimension];
    Line line(length, sign);
    std::vector<Complex> result(length);
    for (size_t begin = 0; begin < values.size(); begin += stride * length)
      for (size_t i = 0; i < stride; ++i) {
        Complex* const first = values.data() + begin + i;
        line.run(first, stride, result.data(), length);
        for (size_t k = 0; k < length; ++k) first[k * stride] = result[k];
      }
    stride *= length;
  }
}

}  // namespace assay::program
