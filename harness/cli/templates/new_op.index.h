// new_op_name: what it means. This header is yours to edit: the contract states what a kernel reads and
// writes, the reference computes what is right. `assay new-op --like reduction` writes one with more comments.
//
// As it stands: index is where the largest element of every row is, the first of them where several are.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/rows.h"

namespace assay::ops::new_op_name {

// The elements are compared as they are, plain(a), and none is computed: so only one answer is right.
template <class S>
void compute(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& x = io.in("x");     // (rows, cols)
  auto& index = io.out("index");  // (rows)
  for (int64_t r = 0; r < rows; ++r) {
    int64_t best = 0;
    for (int64_t c = 1; c < cols; ++c)
      if (plain(x(r, c)) > plain(x(r, best))) best = c;
    index[r] = S(static_cast<double>(best));
  }
}

// A wrong answer that every check must be able to notice: the last column is not looked at.
inline void leave_the_last_column_out(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t cols = c.dim("cols");
  for (int64_t r = 0; r < c.dim("rows"); ++r) {
    int64_t best = 0;
    for (int64_t i = 1; i < cols - 1; ++i)
      if (given.get("x").at(r * cols + i) > given.get("x").at(r * cols + best)) best = i;
    outputs[0][r] = static_cast<double>(best);
  }
}

inline Contract contract() {
  return {
      .name = "new_op_name",  // as the file's name
      .summary = "index_r = the least c with x_rc = max_c x_rc",
      .dims = {{.name = "rows", .meaning = "independent rows", .min = 0, .aliases = {"N", "M", "batch"}},
               {.name = "cols",
                .meaning = "elements of a row",
                .min = 1,
                .max = int64_t{1} << 31,  // an index is 32 bits
                .aliases = {"C", "D", "width"}}},
      // A kernel's int or unsigned takes u32.
      .tensors = {{.name = "x", .role = Role::input, .shape = {"rows", "cols"}},
                  {.name = "index", .role = Role::output, .shape = {"rows"}, .dtype = DType::u32}},
      .dtypes = {DType::f32, DType::bf16, DType::f16},
      .admits_nan = false,
      .why_left_out = "NaN is neither less nor more",
      .reference = reference_from([](auto& io) { compute(io); }),
      .properties = {properties::rows_are_independent({"x"}, {"index"})},
      .mutants = {{"last_column_left_out", leave_the_last_column_out}},
      .flops = [](const Case& c) { return static_cast<double>(c.dim("rows") * c.dim("cols")); },
  };
}

}  // namespace assay::ops::new_op_name
