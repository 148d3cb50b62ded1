// Tests products of matrices to the last bit, with any bits in registers, and types that no instruction of sm_90 has.
#include "harness/simt/include/simt/matrix_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "harness/simt/include/simt/rng.h"
#include "harness/simt/include/simt/small_float_bits.h"

namespace assay::simt {
namespace {

// Runs a product whose fragments are as wmma has them: a lane's elements of A and B are neighbours in the matrix.
template <class T>
std::vector<T> product(const MatrixForm& form, const void* a, size_t a_bytes, const void* b, size_t b_bytes,
                       const std::vector<T>& c) {
  std::vector<T> lanes_c(c.size()), lanes_d(c.size()), d(c.size());
  const uint32_t of_lane = form.m * form.n / 32u;
  const auto place = [&](uint32_t lane, uint32_t i) {
    const MatrixElement at = accumulator_element(form.m, lane, i);
    return at.row * form.n + at.col;
  };
  MatrixCall calls[32];
  const WarpCall* lanes[32];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    MatrixCall& call = calls[lane];
    call.function = &form;
    call.a = static_cast<const char*>(a) + lane * a_bytes / 32,
    call.b = static_cast<const char*>(b) + lane * b_bytes / 32;
    for (uint32_t i = 0; i < of_lane; ++i) lanes_c[lane * of_lane + i] = c[place(lane, i)];
    call.c = &lanes_c[lane * of_lane], call.d = &lanes_d[lane * of_lane];
    lanes[lane] = &call;
  }
  run_matrix_product(lanes);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < of_lane; ++i) d[place(lane, i)] = lanes_d[lane * of_lane + i];
  return d;
}

std::vector<uint8_t> random_bytes(size_t count) {
  static Rng rng(7);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& each : bytes) each = static_cast<uint8_t>(rng.next());
  return bytes;
}

TEST(MatrixProduct, DoublesAreFusedInAscendingOrder) {
  const MatrixForm form =
      matrix_form("", {{}, 8, 8, 4, Element::f64, Element::f64, Element::f64, Element::f64, true, false, false});
  Rng rng(3);
  std::vector<double> a(32), b(32), c(64);
  for (auto* const matrix : {&a, &b, &c})
    for (double& each : *matrix) each = std::ldexp(static_cast<double>(rng.next() >> 11), -53);
  const std::vector<double> d = product(form, a.data(), 256, b.data(), 256, c);
  for (size_t row = 0; row < 8; ++row)
    for (size_t col = 0; col < 8; ++col) {
      double sum = c[row * 8 + col];
      for (size_t k = 0; k < 4; ++k) sum = std::fma(a[row * 4 + k], b[k * 8 + col], sum);
      EXPECT_EQ(d[row * 8 + col], sum) << row << " " << col;
    }
}

// Infinities and NaNs among them.
TEST(MatrixProduct, FloatsAreAddedOneByOne) {
  for (const Element number : {Element::bf16, Element::tf32, Element::e5m2})
    for (const auto& [m, n] : {std::pair{16, 16}, {32, 8}, {8, 32}}) {
      const size_t bytes = number == Element::bf16 ? 2 : number == Element::tf32 ? 4 : 1, k = 16;
      const auto rows = static_cast<size_t>(m), cols = static_cast<size_t>(n);
      MatrixForm form = matrix_form(
          "", {{}, uint16_t(m), uint16_t(n), 16, number, number, Element::f32, Element::f32, true, false, false});
      const auto a = random_bytes(rows * k * bytes), b = random_bytes(k * cols * bytes),
                 c_bits = random_bytes(rows * cols * 4);
      const auto value = [&](const std::vector<uint8_t>& from, size_t i) {
        uint32_t bits = 0;
        std::memcpy(&bits, &from[i * bytes], bytes);
        return number == Element::bf16   ? Bfloat16Format::widen(static_cast<uint16_t>(bits))
               : number == Element::tf32 ? std::bit_cast<float>(bits & ~0x1fffu)
                                         : HalfFormat::widen(static_cast<uint16_t>(bits << 8));
      };
      std::vector<float> c(rows * cols);
      std::memcpy(c.data(), c_bits.data(), c_bits.size());
      const std::vector<float> d = product(form, a.data(), a.size(), b.data(), b.size(), c);
      for (size_t row = 0; row < rows; ++row)
        for (size_t col = 0; col < cols; ++col) {
          volatile float sum = c[row * cols + col];
          for (size_t i = 0; i < k; ++i) {
            const volatile float one = value(a, row * k + i) * value(b, i * cols + col);
            sum = sum + one;
          }
          const uint32_t wanted = sum != sum ? 0x7fffffff : std::bit_cast<uint32_t>(float{sum});
          ASSERT_EQ(std::bit_cast<uint32_t>(d[row * cols + col]), wanted)
              << row << " " << col << " of " << m << " x " << n;
        }
    }
}

// Every f16, in both halves of the warp, by a matrix that picks one element of each row.
TEST(MatrixProduct, EveryHalfIsReadExactly) {
  const MatrixForm form =
      matrix_form("", {{}, 16, 16, 16, Element::f16, Element::f16, Element::f32, Element::f32, true, false, false});
  std::vector<uint16_t> b(512);
  for (size_t i = 0; i < 16; ++i) b[i * 17] = b[256 + i * 17] = 0x3c00;
  for (uint32_t first = 0; first < 65536; first += 256) {
    std::vector<uint16_t> a(512);
    for (uint32_t i = 0; i < 512; ++i) a[i] = static_cast<uint16_t>(first + i % 256);
    const std::vector<float> d = product(form, a.data(), 1024, b.data(), 1024, std::vector<float>(256));
    for (uint32_t i = 0; i < 256; ++i) {
      const auto row_has = [&](auto is) { return std::any_of(&a[i / 16 * 16], &a[i / 16 * 16 + 16], is); };
      if (row_has([](uint16_t bits) { return (bits & 0x7c00) == 0x7c00; })) continue;  // times 0 it is a NaN
      ASSERT_EQ(d[i], HalfFormat::widen(a[i])) << a[i];
    }
  }
}

TEST(MatrixProduct, IntegersWrapAroundOrSaturate) {
  struct Case {
    Element a;
    uint16_t k;
    bool saturates, is_xor;
  };
  for (const Case& each : {Case{Element::s8, 16, false, false},
                           {Element::u8, 16, true, false},
                           {Element::s4, 32, true, false},
                           {Element::u4, 32, false, false},
                           {Element::b1, 128, false, true},
                           {Element::b1, 128, false, false}}) {
    const MatrixForm form = matrix_form(
        "", {{}, 8, 8, each.k, each.a, each.a, Element::s32, Element::s32, true, each.saturates, each.is_xor});
    const size_t bits = each.a == Element::b1 ? 1 : each.a == Element::s4 || each.a == Element::u4 ? 4 : 8;
    const auto a = random_bytes(8 * each.k * bits / 8), b = random_bytes(8 * each.k * bits / 8);
    const auto value = [&](const std::vector<uint8_t>& from, size_t i) {
      const int part = from[i * bits / 8] >> i * bits % 8 & ((1 << bits) - 1);
      return (each.a == Element::s8 && part > 127) || (each.a == Element::s4 && part > 7) ? part - (1 << bits) : part;
    };
    std::vector<int32_t> c(64);
    for (size_t i = 0; i < 64; ++i)
      c[i] = i % 3 == 0 ? INT32_MAX - 5 : i % 3 == 1 ? INT32_MIN + 5 : static_cast<int32_t>(i);
    const std::vector<int32_t> d = product(form, a.data(), a.size(), b.data(), b.size(), c);
    for (size_t row = 0; row < 8; ++row)
      for (size_t col = 0; col < 8; ++col) {
        int64_t sum = c[row * 8 + col];
        for (size_t k = 0; k < each.k; ++k) {
          const int x = value(a, row * each.k + k), y = value(b, k * 8 + col);
          sum += each.is_xor ? x ^ y : x * y;
        }
        if (each.saturates) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
        ASSERT_EQ(d[row * 8 + col], static_cast<int32_t>(static_cast<uint32_t>(sum)))
            << row << " " << col << " " << static_cast<int>(each.a);
      }
  }
}

}  // namespace
}  // namespace assay::simt
