// gemm: what it means. C = A B, or C += A B, with a bias for each column; matrices are row-major, in three layouts.
//
// As BLAS has it, alpha is a factor of the product and beta one of what C held, where C is added to. A bias is added
// once, also where C is added to. K = 0 leaves the bias, or beta C; M or N = 0 is nothing to do.
// Products and sums are f32 whatever the matrices are, and C is rounded once. A NaN reaches the row of C (or column)
// of its row of A (or column of B) and no other element.
//
// Magnitudes: sums of a million products of two elements of 1e15 are finite in f32.
#pragma once

#include "harness/op/contract.h"
#include "harness/op/on_all_cores.h"
#include "kernels/data/tensors.h"
#include "kernels/gemm/properties.h"
#include "reference/gemm.h"

namespace assay::ops::gemm {

inline constexpr double kLargest = 1e15;

inline void make_initial(const Case& c, Rng& rng, Tensor& tensor) { apply_fill(c, rng, kLargest, tensor); }

inline ShapeText a_shape(const Case& c) { return c.text("layout") == "tn" ? ShapeText{"K", "M"} : ShapeText{"M", "K"}; }
inline ShapeText b_shape(const Case& c) { return c.text("layout") == "nt" ? ShapeText{"N", "K"} : ShapeText{"K", "N"}; }

// The matrices of a case as numbers, once for all elements of C. The layout is a case's, or another.
struct Factors {
  std::vector<double> a, b;
  Strides at;
  int64_t depth;

  Factors(const Case& c, const Tensors& given)
      : a(numbers_of(given.get("a"))), b(numbers_of(given.get("b"))), at(c), depth(c.dim("K")) {}

  static std::vector<double> numbers_of(const Tensor& tensor) {
    std::vector<double> numbers(static_cast<size_t>(tensor.count()));
    for (int64_t i = 0; i < tensor.count(); ++i) numbers[static_cast<size_t>(i)] = tensor.at(i);
    return numbers;
  }
  double product(int64_t m, int64_t n, int64_t k) const {
    return a[static_cast<size_t>(m * at.a_row + k * at.a_k)] * b[static_cast<size_t>(n * at.b_col + k * at.b_k)];
  }
  // sum over k in [0, terms) of A(m, k) B(k, n).
  double sum(int64_t m, int64_t n, int64_t terms) const {
    double sum = 0;
    for (int64_t k = 0; k < terms; ++k) sum += product(m, n, k);
    return sum;
  }
};

// The sum kept in the dtype of the matrices.
inline double sum_in_dtype(const Case& c, const Factors& of, int64_t m, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < of.depth; ++k) sum = to_double(c.dtype, from_double(c.dtype, sum + of.product(m, n, k)));
  return sum;
}

// C as `sum(factors, m, n)`, `weight_of_bias` of the bias and alpha and beta make it. Of a large C a part of the rows
// only, evenly spread: a mutant that is wrong there must be noticed there, and all of it would take longer than the
// reference.
struct Weights {
  double bias = 1, alpha, beta;
  explicit Weights(const Case& c) : alpha(c.real("alpha")), beta(c.real("beta")) {}
};

template <class SumOf>
void write_sums(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs, const Factors& of,
                const SumOf& sum, const Weights& weights) {
  constexpr int64_t kProducts = int64_t{1} << 27;
  const bool biased = c.text("bias") == "1", accumulates = c.text("accumulate") == "1";
  const int64_t all = c.dim("M"), cols = c.dim("N"), of_a_row = std::max<int64_t>(1, cols * of.depth);
  const int64_t rows = std::min(all, std::max<int64_t>(1, kProducts / of_a_row));
  on_all_cores<double>(rows, 2. * static_cast<double>(rows * of_a_row), [&](int64_t i) {
    const int64_t m = i * all / rows;
    for (int64_t n = 0; n < cols; ++n) {
      const double initial = accumulates ? weights.beta * given.get("c").at(m * cols + n) : 0;
      const double bias = biased ? weights.bias * given.get("bias").at(n) : 0;
      outputs[0](m, n) = initial + bias + weights.alpha * sum(of, m, n);
    }
  });
}

inline double whole_sum(const Factors& of, int64_t m, int64_t n) { return of.sum(m, n, of.depth); }

template <class SumOf>
Mutant with_sum(std::string name, SumOf sum) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            write_sums(c, given, outputs, Factors(c, given), sum, Weights(c));
          }};
}

// C with one of its terms weighed wrongly.
inline Mutant weighed(std::string name, double Weights::*term, double weight) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            Weights weights(c);
            weights.*term = weight;
            write_sums(c, given, outputs, Factors(c, given), whole_sum, weights);
          }};
}

// B read as if its memory held the other layout.
inline void transpose_b(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (c.text("layout") == "tn") return;
  Case other = c;
  other.set("layout", c.text("layout") == "nt" ? "nn" : "nt");
  write_sums(c, given, outputs, Factors(other, given), whole_sum, Weights(c));
}

inline std::vector<Mutant> mutants() {
  return {with_sum("tail_of_K_dropped",  // whole tiles of 8 elements of K, and nothing of the last one
                   [](const Factors& of, int64_t m, int64_t n) { return of.sum(m, n, of.depth / 8 * 8); }),
          with_sum("last_product_dropped",
                   [](const Factors& of, int64_t m, int64_t n) { return of.sum(m, n, of.depth - 1); }),
          {"b_in_the_other_layout", transpose_b},
          weighed("bias_left_out", &Weights::bias, 0),
          weighed("bias_added_twice", &Weights::bias, 2),
          weighed("alpha_left_out", &Weights::alpha, 1),
          weighed("beta_left_out", &Weights::beta, 1),
          {"summed_in_dtype", [](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
             write_sums(
                 c, given, outputs, Factors(c, given),
                 [&c](const Factors& of, int64_t m, int64_t n) { return sum_in_dtype(c, of, m, n); }, Weights(c));
           }}};
}

inline Contract contract() {
  return {
      .name = "gemm",
      .summary =
          "C_mn = alpha sum_k A_mk B_kn (+ bias_n), or that and beta C_mn; A stored (M, K) or (K, M), B (N, K) or (K, "
          "N)",
      .also_named = {"matmul"},
      .dims = {{.name = "M",
                .meaning = "rows of C",
                .min = 0,
                .boundary = {1, 2, 31, 32, 33},
                .aliases = {"m", "T", "BT", "B", "rows", "num_tokens", "batch_size"}},
               {.name = "N",
                .meaning = "columns of C",
                .min = 0,
                .boundary = {1, 3, 31, 33, 65},
                .aliases = {"n", "OC", "cols", "out_features", "out_dim"}},
               {.name = "K",
                .meaning = "terms of each sum",
                .min = 0,
                .boundary = {1, 7, 33, 48, 96, 160},
                .aliases = {"k", "C", "depth", "inner", "in_features", "in_dim"}}},
      .repeats_along = {"M", "N"},
      .attrs = {{.name = "layout",
                 .meaning = "how A and B are stored: nt (M, K) (N, K); nn (M, K) (K, N); tn (K, M) (K, N)",
                 .choices = {"nt", "nn", "tn"}},
                {.name = "bias", .meaning = "whether there is one, in f32", .choices = {"0", "1"}},
                {.name = "out", .meaning = "dtype of C", .choices = {"same", "f32"}},
                {.name = "accumulate", .meaning = "whether C is added to", .choices = {"0", "1"}, .aliases = {"accum"}},
                {.name = "alpha",
                 .meaning = "factor of the product",
                 .choices = {"1", "0.5", "-1.3"},
                 .aliases = {"scale", "scaling", "scale_factor"},
                 .optional = true},
                {.name = "beta",
                 .meaning = "factor of what C held, where it is added to",
                 .choices = {"1", "0.5", "-1.3"},
                 .optional = true}},
      .tensors = {{.name = "a",  // (M, K) or (K, M)
                   .magnitude = kLargest,
                   .shape_by = a_shape,
                   .aliases = {"x", "inp", "input", "lhs"}},
                  {.name = "b",  // (N, K) or (K, N)
                   .make = data::partner_up_to(kLargest),
                   .shape_by = b_shape,
                   .aliases = {"w", "weight", "weights", "rhs"}},
                  {.name = "bias",
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_initial,
                   .absent = [](const Case& c) { return c.text("bias") == "0"; }},
                  {.name = "c",  // (M, N)
                   .role = Role::output,
                   .shape = {"M", "N"},
                   .make = make_initial,
                   .dtype_by = [](const Case& c) { return c.text("out") == "f32" ? DType::f32 : c.dtype; },
                   .aliases = {"y", "out", "output", "dst"},
                   .role_by =
                       [](const Case& c) { return c.text("accumulate") == "1" ? Role::accumulate : Role::output; }}},
      .linear = true,
      .reference = reference_from([](auto& io) { reference::gemm(io); }),
      .multiplies_matrices = true,
      .properties = {{.name = "rows_do_not_depend_on_M",
                      .states = "the last row of A alone gives the last row of C",
                      .broken = row_depends_on_m},
                     {.name = "layouts_agree",
                      .states = "the same matrices stored in another layout give the same C",
                      .broken = layouts_differ},
                     {.name = "doubles",
                      .states = "doubling A, the bias and what C is added to doubles C",
                      .broken = does_not_double}},
      .mutants = mutants(),
      .flops =
          [](const Case& c) {
            return 2.0 * static_cast<double>(c.dim("M")) * static_cast<double>(c.dim("N")) *
                   static_cast<double>(c.dim("K"));
          },
  };
}

}  // namespace assay::ops::gemm
