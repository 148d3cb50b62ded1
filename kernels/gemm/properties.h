// Facts that hold of every matrix product, whatever the reference says.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/scale.h"

namespace assay::ops::gemm {

// How far apart, in elements, neighbours along each dim lie in A and B.
struct Strides {
  int64_t a_row, a_k, b_col, b_k;

  explicit Strides(const Case& c)
      : a_row(c.text("layout") == "tn" ? 1 : c.dim("K")),
        a_k(c.text("layout") == "tn" ? c.dim("M") : 1),
        b_col(c.text("layout") == "nt" ? c.dim("K") : 1),
        b_k(c.text("layout") == "nt" ? 1 : c.dim("N")) {}
};

// `count` rows of a matrix of which element (i, j) is at i·from_row + j·from_col, stored with other strides.
struct Relaid {
  int64_t rows, cols, from_row, from_col, to_row, to_col, first_row = 0;
};

inline Tensor relaid(const Tensor& tensor, const std::vector<int64_t>& shape, const Relaid& how) {
  Tensor result(tensor.name(), tensor.dtype(), tensor.role(), shape);
  for (int64_t i = 0; i < how.rows; ++i)
    for (int64_t j = 0; j < how.cols; ++j)
      result.set_bits(i * how.to_row + j * how.to_col,
                      tensor.bits((how.first_row + i) * how.from_row + j * how.from_col));
  return result;
}

inline bool is_unsupported(const Result<Tensors>& got) { return !got && got.error().what.starts_with("unsupported"); }

// C's last row from the last row of A alone.
inline std::optional<std::string> row_depends_on_m(const PropertyRun& run) {
  const int64_t last = run.c.dim("M") - 1, cols = run.c.dim("N"), depth = run.c.dim("K");
  if (last < 1 || cols == 0) return std::nullopt;
  Case alone = run.c;
  alone.set("M", "1");
  const Strides from(run.c), to(alone);
  const auto last_row_of = [&](const Tensor& c) { return relaid(c, {1, cols}, {1, cols, cols, 1, cols, 1, last}); };
  Tensors given;
  for (const Tensor& tensor : run.given) {
    if (tensor.name() == "a")
      given.push_back(
          relaid(tensor, run.c.text("layout") == "tn" ? std::vector{depth, int64_t{1}} : std::vector{int64_t{1}, depth},
                 {1, depth, from.a_row, from.a_k, to.a_row, to.a_k, last}));
    else
      given.push_back(tensor.name() == "c" ? last_row_of(tensor) : tensor);
  }
  const Result<Tensors> got = run.run(alone, std::move(given));
  if (is_unsupported(got)) return std::nullopt;
  if (!got) return got.error().what;
  const std::vector<double> budget = run.budget("c");
  return properties::first_disagreement(last_row_of(run.got.get("c")), got->get("c"),
                                        {budget.end() - cols, budget.end()});
}

// The same matrices in the next layout.
inline std::optional<std::string> layouts_differ(const PropertyRun& run) {
  Case other = run.c;
  const std::string& layout = run.c.text("layout");
  other.set("layout", layout == "nt" ? "nn" : layout == "nn" ? "tn" : "nt");
  const int64_t rows = run.c.dim("M"), cols = run.c.dim("N"), depth = run.c.dim("K");
  const Strides from(run.c), to(other);
  Tensors given = run.given;
  const std::string& stored = other.text("layout");
  given.get("a") = relaid(run.given.get("a"), stored == "tn" ? std::vector{depth, rows} : std::vector{rows, depth},
                          {rows, depth, from.a_row, from.a_k, to.a_row, to.a_k});
  given.get("b") = relaid(run.given.get("b"), stored == "nt" ? std::vector{cols, depth} : std::vector{depth, cols},
                          {cols, depth, from.b_col, from.b_k, to.b_col, to.b_k});
  const Result<Tensors> got = run.run(other, std::move(given));
  if (is_unsupported(got)) return std::nullopt;
  if (!got) return got.error().what;
  return properties::first_disagreement(run, *got, {"c"});
}

inline std::optional<std::string> does_not_double(const PropertyRun& run) {
  static const Property overwrites = properties::doubles_with({"a", "bias"}, {"c"});
  static const Property accumulates = properties::doubles_with({"a", "bias", "c"}, {"c"});
  return (run.c.text("accumulate") == "1" ? accumulates : overwrites).broken(run);
}

}  // namespace assay::ops::gemm
