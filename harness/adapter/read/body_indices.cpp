// Recognising indices by their sums.
#include "harness/adapter/read/body_indices.h"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace assay {
namespace {

constexpr std::string_view kThread = "blockDim.x*blockIdx.x+threadIdx.x";

// A thread's index divided by the warp's size, the sum of its two parts so divided, or that of a cooperative group.
bool is_warp(const Terms& index, const std::string& text) {
  const std::string thread(kThread);
  if (is_one_of(text, {"(" + thread + ")/32", "blockDim.x/32*blockIdx.x+threadIdx.x/32",
                       "(blockDim.x*blockIdx.x)/32+threadIdx.x/32"}))
    return true;
  constexpr std::string_view kRank = ".meta_group_rank()", kCount = ".meta_group_size()";
  return std::ranges::any_of(index, [&](const Term& rank) {
    const std::string group = rank.factors.size() == 1 ? rank.factors[0] : "";
    const std::string name = group.ends_with(kRank) ? group.substr(0, group.size() - kRank.size()) : "";
    return index.size() == 2 && !name.empty() && std::ranges::any_of(index, [&](const Term& block) {
             return block.factors.size() == 2 && has(block, "blockIdx.x") && has(block, name + std::string(kCount));
           });
  });
}

IndexKind kind_of(const Terms& index) {
  const std::string text = text_of(index);
  if (text == kThread) return IndexKind::thread;
  if (is_warp(index, text)) return IndexKind::warp;
  return text == "blockIdx.x" ? IndexKind::block : IndexKind::none;
}

// The same along x.
Terms along_x(Terms index, char axis) {
  const std::string own = std::string(".") + axis;
  for (Term& term : index) {
    for (std::string& factor : term.factors) {
      if (factor.find(".x") != std::string::npos) return {};
      for (size_t at = factor.find(own); at != std::string::npos; at = factor.find(own, at)) factor[at + 1] = 'x';
    }
    term.of = along_x(term.of, axis);
  }
  return index;
}

// n of n - 1, which an index greater than that is compared with.
Result<std::string> without_last(Result<std::string> bound) {
  constexpr std::string_view kLast = " - 1";
  if (bound && bound->ends_with(kLast)) bound->resize(bound->size() - kLast.size());
  return bound;
}

// "n" and "4" of n/4; "" for other factors.
std::pair<std::string, std::string> divided(const std::string& factor) {
  const size_t sign = factor.rfind('/');
  if (sign == std::string::npos || factor.find_first_of("(+*") != std::string::npos) return {};
  return {factor.substr(0, sign), factor.substr(sign + 1)};
}

}  // namespace

std::string BodyIndices::unknown_index() const {
  for (const BodyVariable& each : facts_.variables)
    if (mentions(each.begin, "blockIdx") && (mentions(each.begin, "threadIdx") || mentions(each.begin, "blockDim")) &&
        !mentions(each.begin, "[") && kind_of(each.begin) == IndexKind::none)  // with [ it is a value that is read
      return each.name;
  return "";
}

std::optional<BodyIndices::Index> BodyIndices::find(IndexKind kind, char axis) const {
  const auto is_of_kind = [&](const Terms& index) {
    return kind_of(axis == 'x' ? index : along_x(index, axis)) == kind;
  };
  std::optional<Index> unbounded, one_off;
  for (const BodyComparison& each : facts_.comparisons) {
    if (!is_of_kind(facts_.begun(each.left))) continue;
    const auto bound = resolved(tokens_of(each.bound), names_);
    if (each.sign == "<" || each.sign == ">=") return Index{each.name, bound};
    if (each.sign == ">" && !one_off) one_off = Index{each.name, without_last(bound)};  // i > n, for i >= n
    if (!unbounded) unbounded = Index{each.name, fail("")};
  }
  for (const BodyVariable& each : facts_.variables)
    if (!unbounded && is_of_kind(each.begin)) unbounded = Index{each.name, fail("")};
  return one_off && one_off->bound ? one_off : unbounded;
}

std::set<std::string> guarding_names(const BodyFacts& facts) {
  std::set<std::string> names;
  for (const BodyComparison& each : facts.comparisons)
    if (!each.heads_loop && (each.sign.starts_with('<') || each.sign.starts_with('>')))
      names.insert(only_factor(each.right));
  return names;
}

std::set<std::string> names_with_rests(const BodyFacts& facts) {
  std::set<std::string> of_elements, of_vectors, both;
  const auto note_floored = [&](const Terms& sum) {
    for (const Term& term : sum)
      for (const std::string& factor : term.factors) {
        const auto [whole, by] = divided(factor);
        if (!whole.empty() && (by == std::to_string(term.times) || has(term, by))) of_vectors.insert(whole);
      }
  };
  for (const BodyComparison& each : facts.comparisons) {
    note_floored(each.right);
    const bool is_further =
        std::ranges::any_of(each.left, [](const Term& term) { return term.is_number() && term.times > 0; });
    if (each.sign.starts_with('<')) (is_further ? of_vectors : of_elements).insert(only_factor(each.right));
  }
  for (const BodyVariable& each : facts.variables) note_floored(each.begin);
  std::ranges::set_intersection(of_elements, of_vectors, std::inserter(both, both.end()));
  both.erase("");
  return both;
}

}  // namespace assay
