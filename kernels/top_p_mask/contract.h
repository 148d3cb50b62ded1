// top_p_mask: what it means. In every row of probabilities the smallest set of largest ones whose sum reaches p stays,
// in place; the others become 0, and nothing is normalised again.
//
// A token stays while the sum of those before it is below p, so the one that crosses p stays too. p is an f32 and sums
// are formed in f32; a token for which a right sum may lie on either side of p may stay or go. The formula asks for no
// more of a row than finite elements that are not negative: rows of softmaxes, and rows that sum to less or more
// than 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/op/contract.h"
#include "kernels/data/softmax_rows.h"
#include "kernels/properties/masks.h"
#include "kernels/properties/rows.h"
#include "reference/top_p_mask.h"

namespace assay::ops::top_p_mask {

constexpr double kLargest = 1e30;  // sums of 10^8 such elements are finite in f32

// softmax: of the fill. raw: the fill's absolute values, over a power of two that brings ordinary ones to sums around 1
// and keeps small integers exact.
inline void make_probs(const Case& c, Rng& rng, Tensor& probs) {
  const int64_t vocab = c.dim("V");
  if (c.text("probs") == "softmax") {
    apply_fill(c, rng, 0, probs);
    return data::softmax_rows(probs, vocab);
  }
  apply_fill(c, rng, kLargest, probs);
  const double scale = std::exp2(-std::ceil(std::log2(static_cast<double>(std::max<int64_t>(1, vocab)))));
  for (int64_t i = 0; i < probs.count(); ++i) probs.set(i, std::fabs(probs.at(i)) * scale);
}

inline double p_of(const Case& c) { return static_cast<float>(c.real("p")); }

// The sum of what a row keeps reaches p, unless the row keeps everything; and a row that is not all zero keeps
// something.
inline std::optional<std::string> too_little_kept(const PropertyRun& run) {
  const int64_t rows = run.c.dim("rows"), vocab = run.c.dim("V");
  const Tensor &given = run.given.get("probs"), &got = run.got.get("probs");
  for (int64_t r = 0; r < rows; ++r) {
    Sum<Tracked> kept;
    bool any = false, all = true;
    for (int64_t i = r * vocab; i < (r + 1) * vocab; ++i) {
      kept.add(got.at(i));
      any |= got.at(i) > 0;
      all &= given.at(i) == got.at(i);
    }
    if (!any && !all) return fmt::format("row {} keeps nothing", r);
    const double sum = kept.value().v, p = p_of(run.c);
    if (!all && !(sum >= p) && !kept.undecided(p)) return fmt::format("row {} keeps a sum of {:.9g}", r, sum);
  }
  return std::nullopt;
}

// Nothing that is masked comes before something that is kept: a larger element, or an equal one of a lower index.
inline std::optional<std::string> gap_in_the_order(const PropertyRun& run) {
  const int64_t rows = run.c.dim("rows"), vocab = run.c.dim("V");
  const Tensor &given = run.given.get("probs"), &got = run.got.get("probs");
  for (int64_t r = 0; r < rows; ++r) {
    int64_t first_masked = -1, last_kept = -1;
    for (int64_t i = r * vocab; i < (r + 1) * vocab; ++i) {
      const bool kept = properties::is_kept(given, got, i);
      if (kept && (last_kept < 0 || given.at(i) <= given.at(last_kept))) last_kept = i;
      if (!kept && (first_masked < 0 || given.at(i) > given.at(first_masked))) first_masked = i;
    }
    if (first_masked < 0 || last_kept < 0 || given.at(last_kept) == 0) continue;
    const double kept = given.at(last_kept), masked = given.at(first_masked);
    if (masked > kept || (masked == kept && first_masked < last_kept))
      return fmt::format("row {} keeps [{}] = {:.9g} and masks [{}] = {:.9g}", r, last_kept % vocab, kept,
                         first_masked % vocab, masked);
  }
  return std::nullopt;
}

inline const std::vector<std::string> kChoicesOfP = {"0.5", "0.9", "0.1", "0.999", "1", "0", "2"};

// The next larger p lies further away than roundings reach, so elements that may go either way for p are kept there.
inline std::optional<std::string> lost_with_larger_p(const PropertyRun& run) {
  const std::string* larger_p = nullptr;
  for (const std::string& p : kChoicesOfP)
    if (std::stod(p) > run.c.real("p") && (!larger_p || std::stod(p) < std::stod(*larger_p))) larger_p = &p;
  if (!larger_p) return std::nullopt;
  Case wider = run.c;
  wider.set("p", *larger_p);
  return properties::lost_in(run, wider, "probs");
}

// Masks every row anew: keeps(before, with, p) says whether a token stays, from the sum before it and the sum with
// it, the first of a row in any case.
inline Mutant masked_anew(std::string name, bool (*keeps)(double before, double with, double p),
                          bool last_index_first = false) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const int64_t vocab = c.dim("V");
            const Tensor& probs = given.get("probs");
            const double p = p_of(c);
            if (p >= 1) return;
            std::vector<int64_t> order(static_cast<size_t>(vocab));
            for (int64_t r = 0; r < c.dim("rows"); ++r) {
              std::iota(order.begin(), order.end(), r * vocab);
              if (last_index_first) std::reverse(order.begin(), order.end());
              std::stable_sort(order.begin(), order.end(),
                               [&](int64_t a, int64_t b) { return probs.at(a) > probs.at(b); });
              double before = 0;
              for (size_t place = 0; place < order.size(); ++place) {
                const double probability = probs.at(order[place]);
                outputs[0][order[place]] = place == 0 || keeps(before, before + probability, p) ? probability : 0;
                before += probability;
              }
            }
          }};
}

// Makes the elements that are left sum to 1.
inline void normalise_again(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t vocab = c.dim("V");
  for (int64_t r = 0; r < c.dim("rows"); ++r) {
    double sum = 0;
    for (int64_t v = 0; v < vocab; ++v) sum += outputs[0](r, v);
    for (int64_t v = 0; v < vocab && sum > 0; ++v) outputs[0](r, v) /= sum;
  }
}

inline Contract contract() {
  return {
      .name = "top_p_mask",
      .summary =
          "the smallest set of largest elements of a row whose sum reaches p stays, the others become 0; lowest "
          "index first among equals, at least one stays; p >= 1 changes nothing",
      .dims = {{.name = "rows",
                .meaning = "independent rows",
                .min = 0,
                .aliases = {"N", "B", "batch", "batch_size", "num_rows"}},
               {.name = "V",
                .meaning = "elements of a row",
                .min = 0,
                .max = int64_t{1} << 31,
                .aliases = {"C", "cols", "vocab", "vocab_size", "row_size"}}},
      .repeats_along = {"rows"},
      .attrs = {{.name = "p",
                 .meaning = "the sum to reach, an f32",
                 .choices = kChoicesOfP,
                 .aliases = {"top_p", "threshold"}},
                {.name = "probs",
                 .meaning = "what rows hold: a softmax of the fill, or its absolute values",
                 .choices = {"softmax", "raw"}}},
      .tensors = {{.name = "probs",
                   .role = Role::inout,
                   .shape = {"rows", "V"},
                   .make = make_probs,
                   .aliases = {"x", "probabilities"}}},
      .admits_nan = false,
      .admits_infinity = false,
      .why_left_out = "probabilities are finite",
      .out_of_reach = {{"sum_size", "overflows f16", "elements are scaled down by the length of their row"}},
      .exponentials = true,
      .reference = reference_from([](auto& io) { reference::top_p_mask(io); }),
      .properties = {properties::keeps_bits_or_masks("probs", 0),
                     {.name = "keeps_enough",
                      .states = "what a row keeps sums to p, within the sum's budget, or is the whole row",
                      .broken = too_little_kept},
                     {.name = "keeps_the_foremost",
                      .states = "no masked element is larger than a kept one, or equal to it and before it",
                      .broken = gap_in_the_order},
                     {.name = "grows_with_p",
                      .states = "what stays for p stays for the next larger p",
                      .broken = lost_with_larger_p},
                     properties::rows_are_independent({"probs"}, {"probs"})},
      .mutants = {masked_anew("crossing_token_dropped", [](double, double with, double p) { return with < p; }),
                  // One more token stays where the sum is p exactly.
                  masked_anew("p_exceeded", [](double before, double, double p) { return before <= p; }),
                  masked_anew(
                      "ties_cut_from_the_front", [](double before, double, double p) { return before < p; }, true),
                  {"normalised_again", normalise_again}},
      .flops = [](const Case& c) { return static_cast<double>(c.dim("rows") * c.dim("V")); },
  };
}

}  // namespace assay::ops::top_p_mask
