// gemm_nt_quant in plain loops: the inner products of rows of activations with rows of quantised weights, and a bias.
//
// The canonical formula for activations in f32 multiplies each with its weight as dequantize has it. In scaled_sums the
// codes of a group are multiplied first, their sum by the scales afterwards, and the sum of the activations by the
// offset, which errs more where d code and m cancel.
//
// Given activations are codes too, and then scaled_sums is the canonical formula, for its sums of codes are exact. The
// formula dequantised is as above, each activation rounded to f32 on its way.
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "harness/op/reference.h"
#include "reference/block_weights.h"

namespace assay::reference {

// Adds to `total` what a block of weights w comes to, by groups of equal scales: codes times activations are summed
// first, and scaled afterwards. x(i) is the i-th activation, in units of `unit_of_x`.
template <class S, class Inner, class X>
void add_scaled_sums(Sum<S>& total, const BlockFormat& format, const BlockElement* w, S unit_of_x, X x) {
  const int64_t group = format == kQ6_K ? 16 : 32;
  for (int64_t first = 0; first < format.elements; first += group) {
    Inner products, all_x;
    for (int64_t i = first; i < first + group; ++i) {
      products.add(w[i].code, x(i));
      all_x.add(1, x(i));
    }
    const auto scaled = [&](double scale, int factor, const Inner& sum) {
      return S(scale) * S(static_cast<double>(factor)) * unit_of_x * sum.value();
    };
    total.add(scaled(w[first].d, w[first].factor, products));
    if (format.has_offset) total.add(scaled(w[first].m, w[first].offset_factor, all_x));
  }
}

// Sums of codes times numbers, and of codes times codes, which are exact: at most 32 * 63 * 128.
template <class S>
struct SumOfNumbers {
  Sum<S> sum;
  void add(int code, S x) { sum.add(S(static_cast<double>(code)) * x); }
  S value() const { return sum.value(); }
};
template <class S>
struct SumOfCodes {
  int64_t sum = 0;
  void add(int code, int x) { sum += int64_t{code} * x; }
  S value() const { return S(static_cast<double>(sum)); }
};

// The error that rounding factors to tf32 adds to a sum by IEEE's rule, and by that of cvt.rna, which takes the one of
// two neighbours that is further from zero. The two differ for factors half-way between neighbours: an f32 hardly ever
// is, but every other product of a code and an f16 scale may be. Nor is a factor next to half-way safe: cvt.rna takes
// an f32, which an offset too small to be seen beside d code has left. Sum knows of the first rule only, and of one
// factor at a time.
class LostToTf32 {
 public:
  void add(double a, double b) {
    to_even_.add(a, b, lost_by_operand(a), lost_by_operand(b));
    from_zero_.add(a, b, lost_from_zero(a), lost_from_zero(b));
  }
  // The budget that the sum needs beyond Sum's, as one term more.
  Tracked missing() const {
    const double missing = std::fmax(from_zero_.size(), to_even_.size()) - to_even_.of_one_factor();
    return {0, 0, std::fmax(0.0, missing) / kBudgetFactor};
  }

 private:
  struct Losses {
    double left = 0, right = 0, both = 0;
    void add(double a, double b, double of_a, double of_b) {
      left += of_a * b;
      right += a * of_b;
      both += of_a * of_b;
    }
    double of_one_factor() const { return std::fabs(left) + std::fabs(right); }
    double size() const { return of_one_factor() + std::fabs(both); }
  };
  static double lost_from_zero(double exact) {
    const double a = static_cast<float>(exact), lost = lost_by_operand(a), other = a - lost;
    if (!std::isfinite(a)) return 0;
    const bool is_half_way = lost != 0 && lost_by_operand(other) == 0;
    return a - exact + (is_half_way ? std::copysign(lost, a) : lost);
  }
  Losses to_even_, from_zero_;
};

template <class S>
void gemm_nt_quant(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("M"), cols = io.dim("N"), depth = io.dim("K");
  const BlockFormat format = block_format(io.text("format"));
  const bool are_codes = io.text("activations") != "f32";
  const BlockFormat of_a = are_codes ? block_format(io.text("activations")) : format;
  const bool scales_sums = io.by_formula("scaled_sums"), dequantises = io.by_formula("dequantised");
  const bool rounds_factors = std::is_same_v<S, Tracked> && Tracked::operands.unit != 0;
  const auto& a = io.in("a");        // (M, K), or (M, K / elements * bytes)
  const auto& b = io.in("b");        // (N, K / elements * bytes)
  const auto& bias = io.in("bias");  // (N), or nothing
  auto& c = io.out("c");             // (M, N)

  const double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols * depth);
  const std::vector<int64_t> judged = io.rows(rows, flops);
  std::vector<BlockRow> codes_of_a;
  for (const int64_t m : judged) codes_of_a.push_back(are_codes ? block_row(a, of_a, m, depth) : BlockRow{});
  on_all_cores<S>(cols, flops, [&](int64_t n) {
    const BlockRow w = block_row(b, format, n, depth);
    for (size_t r = 0; r < judged.size(); ++r) {
      const int64_t m = judged[r];
      const BlockRow& of_row = codes_of_a[r];
      const auto x = [&](int64_t k) { return are_codes ? value_of<S>(of_a, of_row[static_cast<size_t>(k)]) : a(m, k); };
      Sum<S> total;
      LostToTf32 lost;
      if (io.has("bias")) total.add(bias[n]);
      for (int64_t first = 0; first < depth; first += format.elements) {
        const BlockElement* block = &w[static_cast<size_t>(first)];
        if (are_codes && !dequantises)
          add_scaled_sums<S, SumOfCodes<S>>(total, format, block, S(of_row[static_cast<size_t>(first)].d),
                                            [&](int64_t i) { return of_row[static_cast<size_t>(first + i)].code; });
        else if (scales_sums)
          add_scaled_sums<S, SumOfNumbers<S>>(total, format, block, S(1), [&](int64_t i) { return x(first + i); });
        else
          for (int64_t i = 0; i < format.elements; ++i) {
            const S weight = value_of<S>(format, block[i]);
            total.add_product(x(first + i), weight);
            if (rounds_factors) lost.add(plain(x(first + i)), plain(weight));
          }
      }
      if constexpr (std::is_same_v<S, Tracked>)
        if (rounds_factors) total.add(lost.missing());
      c(m, n) = total.value();
    }
  });
}

}  // namespace assay::reference
