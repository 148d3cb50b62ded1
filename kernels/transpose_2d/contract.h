// transpose_2d: what it means. A copy with rows and columns exchanged; bits are compared, NaN payloads too.
//
// The boundaries of rows lie one past what tiles of 16 and of 32 rows can put into grid.y, whose limit is 65535.
#pragma once

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "reference/transpose_2d.h"

namespace assay::ops::transpose_2d {

inline std::optional<std::string> changed_by_transposing_twice(const PropertyRun& run) {
  const Tensor& once = run.got.get("out");
  Case back = run.c;
  back.set("rows", run.c.text("cols"));
  back.set("cols", run.c.text("rows"));
  Tensors tensors;
  Tensor& in = tensors.emplace_back("in", once.dtype(), Role::input, once.shape());
  for (int64_t i = 0; i < once.count(); ++i) in.set_bits(i, once.bits(i));
  tensors.emplace_back("out", once.dtype(), Role::output, run.given.get("in").shape()).poison(Poison::first);
  const Result<Tensors> got = run.run(back, std::move(tensors));
  if (!got) return got.error().what;
  return properties::first_disagreement(run.given.get("in"), got->get("out"), run.budget("out"));
}

// The elements in their old order: indices computed with the input's stride on both sides.
inline void copy_untransposed(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& in = given.get("in");
  for (int64_t i = 0; i < in.count(); ++i) outputs[0][i] = in.at(i);
}

inline Contract contract() {
  return {
      .name = "transpose_2d",
      .summary = "out_cr = in_rc, bit for bit",
      .dims = {{.name = "rows",
                .meaning = "rows of in",
                .min = 0,
                .boundary = {1'048'561, 2'097'121},
                .aliases = {"M", "H", "height", "n_rows"}},
               {.name = "cols", .meaning = "columns of in", .min = 0, .aliases = {"N", "W", "width", "n_cols"}}},
      .repeats_along = {"rows", "cols"},
      .tensors = {{.name = "in", .shape = {"rows", "cols"}, .aliases = {"x", "a", "idata", "src"}},  // (rows, cols)
                  {.name = "out",
                   .role = Role::output,
                   .shape = {"cols", "rows"},
                   .aliases = {"y", "b", "odata", "dst"}}},  // (cols, rows)
      .linear = true,
      .reference = moves_from([](auto& io) { reference::transpose_2d(io); }),
      .properties = {{.name = "twice_is_the_identity",
                      .states = "transposing out gives in, bit for bit",
                      .broken = changed_by_transposing_twice}},
      .mutants = {{"copied_untransposed", copy_untransposed}},
  };
}

}  // namespace assay::ops::transpose_2d
