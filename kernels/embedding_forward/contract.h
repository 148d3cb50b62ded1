// embedding_forward: what it means. Every token's row of the table; with pos=added, plus the row of its position, which
// is the token's number modulo T.
//
// A token whose id has no row gets zeros, position or not, and nothing outside of the table is read: of a vocabulary
// that is split over several GPUs each has a part, and their sum is the embedding.
#pragma once

#include <cmath>
#include <numeric>

#include "kernels/embedding/problem.h"
#include "kernels/properties/agreement.h"
#include "reference/embedding_forward.h"

namespace assay::ops::embedding_forward {

// y is row `row(s)` of w plus row `position(s)` of pos, and zeros for tokens without a row.
template <class Row, class Position>
Mutant with_rows(std::string name, Row row, Position position) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &w = given.get("w"), &ids = given.get("ids"), &pos = given.get("pos");
            const int64_t dim = c.dim("dim"), vocab = c.dim("vocab");
            for (int64_t s = 0; s < c.dim("S"); ++s) {
              const int64_t id = row(static_cast<int64_t>(ids.bits(s)), vocab);
              for (int64_t d = 0; d < dim; ++d) {
                outputs[0](s, d) = id >= vocab ? 0 : w.at(id * dim + d);
                if (!pos.absent() && id < vocab) outputs[0](s, d) += pos.at(position(s, c.dim("T")) * dim + d);
              }
            }
          }};
}

// Tokens in another order, at the same distance of T to one another, so that each keeps its position.
inline std::optional<std::string> order_of_sequences_matters(const PropertyRun& run) {
  const int64_t tokens = run.c.dim("S"), length = run.c.dim("T"), dim = run.c.dim("dim");
  const int64_t sequences = tokens / length;
  if (sequences < 2 || tokens % length != 0) return std::nullopt;
  const auto other = [&](int64_t s) { return (sequences - 1 - s / length) * length + s % length; };
  Tensors given = run.given;
  for (int64_t s = 0; s < tokens; ++s) given.get("ids").set_bits(s, run.given.get("ids").bits(other(s)));
  Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const Tensor moved = got->get("y");
  for (int64_t s = 0; s < tokens; ++s)
    for (int64_t d = 0; d < dim; ++d) got->get("y").set_bits(s * dim + d, moved.bits(other(s) * dim + d));
  return properties::first_disagreement(run, *got, {"y"});
}

inline Contract contract() {
  const auto own_row = [](int64_t id, int64_t) { return id; };
  return {
      .name = "embedding_forward",
      .summary = "y_sd = w[ids_s, d], plus pos[s mod T, d] where there are positions; zeros where ids_s >= vocab",
      .dims = {{.name = "S",
                .meaning = "tokens",
                .min = 0,
                .boundary = {31, 33, 257},
                .aliases = {"N", "BT", "n_tokens", "num_tokens", "num_indices"}},
               {.name = "T",
                .meaning = "positions",
                .boundary = {1, 2, 16},
                .aliases = {"seq_len", "block_size", "max_seq_len", "n_ctx"}},
               embedding::width(),
               embedding::vocabulary()},
      .repeats_along = {"S"},
      .attrs = {embedding::ids(),
                {.name = "pos", .meaning = "whether positions are added", .choices = {"none", "added"}}},
      .tensors = {embedding::ids_of_tokens(),
                  {.name = "w",  // (vocab, dim)
                   .shape = {"vocab", "dim"},
                   .magnitude = 1e30,
                   .aliases = {"wte", "weight", "table", "embedding"}},
                  {.name = "pos",  // (T, dim)
                   .shape = {"T", "dim"},
                   .magnitude = 1e30,
                   .aliases = {"wpe", "positions", "pos_embedding"},
                   .absent = [](const Case& c) { return c.text("pos") == "none"; }},
                  {.name = "y", .role = Role::output, .shape = {"S", "dim"}, .aliases = {"o", "out", "output"}}},
      .no_library =
          "no call of cuBLAS, cuDNN or CUB gathers rows by index; CUB's batched copy takes pointers, which a kernel "
          "would have to write first",
      .linear = true,
      .constraint = embedding::no_row,
      .adjust = embedding::admit_no_row,
      .reference = reference_from([](auto& io) { reference::embedding_forward(io); }),
      .properties = {{.name = "sequence_order",
                      .states = "exchanging whole sequences of T tokens exchanges their rows",
                      .broken = order_of_sequences_matters}},
      .mutants = {with_rows("next_position", own_row, [](int64_t s, int64_t length) { return (s + 1) % length; }),
                  with_rows("position_clamped", own_row,
                            [](int64_t s, int64_t length) { return std::min(s, length - 1); }),
                  with_rows(
                      "missing_id_clamped",
                      [](int64_t id, int64_t vocab) { return vocab == 0 ? id : std::min(id, vocab - 1); },
                      [](int64_t s, int64_t length) { return s % length; })},
      .flops = [](const Case& c) { return static_cast<double>(c.dim("S") * c.dim("dim")); },
  };
}

}  // namespace assay::ops::embedding_forward
