// The common part of the contracts of softmax_forward and softmax_backward: attributes, what a causal row does not see,
// and the properties and mutants that follow from it.
//
// The attributes are optional: a line, adapter or variant that does not name them means plain rows.
#pragma once

#include "kernels/data/mistakes.h"
#include "kernels/properties/rows.h"
#include "kernels/properties/slices.h"
#include "reference/softmax_rows.h"

namespace assay::ops::softmax {

inline std::vector<DimSpec> dims() {
  return {{.name = "rows",
           .meaning = "independent rows",
           .min = 0,
           .aliases = {"N", "M", "B", "BT", "batch", "batch_size", "outer_size", "num_tokens"}},
          {.name = "cols",
           .meaning = "elements of a row",
           .min = 0,
           .aliases = {"C", "D", "N", "V", "dim", "dim_size", "hidden", "hidden_size", "inner_size", "width",
                       "row_size", "vocab_size"}}};
}

inline std::vector<AttrSpec> attrs() {
  return {{.name = "causal",
           .meaning = "whether row i of a matrix sees columns up to i + cols - rows only; the others become 0",
           .choices = {"0", "1"},
           .aliases = {"is_causal", "use_causal", "causal_mask", "autoregressive"},
           .optional = true},
          {.name = "scale",
           .meaning = "factor of the scores before the softmax",
           .choices = {"1", "0.125", "0.0884"},
           .aliases = {"sm_scale", "softmax_scale", "inv_sqrt_d", "inv_temperature"},
           .optional = true},
          {.name = "heads",
           .meaning = "matrices of (rows, cols), one after the other: batch times heads of attention scores",
           .choices = {"1", "2", "3", "12"},
           .aliases = {"num_heads", "n_head", "n_heads", "NH"},
           .optional = true}};
}

// One matrix after the other. TensorSpec::shape is what one matrix has, by which launches of plain rows are known.
inline ShapeText shape_of_all(const Case&) { return {"heads*rows", "cols"}; }

inline TensorSpec matrices(std::string name, Role role, MakeTensor make, std::vector<std::string> aliases) {
  return {.name = std::move(name),
          .role = role,
          .shape = {"rows", "cols"},
          .make = std::move(make),
          .shape_by = shape_of_all,
          .aliases = std::move(aliases)};
}

inline bool is_causal(const Case& c) { return c.text("causal") == "1"; }

// Matrices differ from more rows where rows are counted only.
inline void make_one_matrix(Case& c) {
  if (!is_causal(c)) c.set("heads", "1");
}

// Pairs of a row and a column that it sees, in closed form: generation asks for shapes that nobody could count.
inline double seen_pairs(const Case& c) {
  const auto rows = static_cast<double>(c.dim("rows")), cols = static_cast<double>(c.dim("cols"));
  const double hidden = rows <= cols ? rows * (rows - 1) / 2 : rows * cols - cols * (cols + 1) / 2;
  return static_cast<double>(c.dim("heads")) * (rows * cols - (is_causal(c) ? hidden : 0));
}

// Calls f(row, its first element, columns that it sees) for every row of all matrices.
template <class F>
void for_each_row(const reference::SoftmaxRows& a, F f) {
  for (int64_t r = 0; r < a.rows(); ++r) f(r, r * a.cols, a.seen(r));
}

// The columns that a causal row sees depend on its place in its matrix; matrices do not depend on each other.
inline Property rows_are_independent(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  const auto matrices = [](const std::vector<std::string>& tensors) {
    std::vector<properties::Sliced> sliced;
    for (const std::string& tensor : tensors) sliced.push_back({tensor, {"rows", "cols"}});
    return sliced;
  };
  Property rows = properties::rows_are_independent(inputs, outputs);
  const Property heads = properties::slices_are_independent(matrices(inputs), matrices(outputs));
  rows.states = "reversing the rows of the inputs, or with causal=1 the heads, reverses those of the outputs";
  rows.broken = [by_row = rows.broken, by_head = heads.broken](const PropertyRun& run) {
    return is_causal(run.c) ? by_head(run) : by_row(run);
  };
  return rows;
}

// Other numbers in the columns that a row does not see.
inline Property later_columns_are_not_seen(std::vector<std::string> inputs, std::string output) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const reference::SoftmaxRows a = reference::softmax_rows(run.c);
    if (!a.causal || a.queries < 2 || a.cols == 0) return std::nullopt;
    Tensors given = run.given;
    for (const std::string& name : inputs)
      for_each_row(a, [&](int64_t, int64_t first, int64_t seen) {
        for (int64_t c = seen; c < a.cols; ++c) given.get(name).set(first + c, static_cast<double>(c % 5) - 2);
      });
    const Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    auto changed = properties::first_disagreement(run, *again, {output});
    if (changed) *changed += " when columns that its row does not see change";
    return changed;
  };
  return {.name = "later_columns_are_not_seen",
          .states = "with causal=1, changing columns that a row does not see leaves the outputs as they are",
          .broken = broken};
}

template <class Run>  // void(ReferenceIo<double>&, const SoftmaxRows&)
std::vector<Mutant> mistakes(Run run) {
  const auto mistake = data::mistakes_of(reference::softmax_rows, run);
  return {mistake("causal_bound_off_by_one", [](const Case&, auto& rows) { --rows.diagonal; }),
          mistake("scale_left_out", [](const Case&, auto& rows) { rows.scale = 1; })};
}

}  // namespace assay::ops::softmax
