// Index expressions as trees: sums of products of what is neither. The reader makes them, and inference takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct Term;
using Terms = std::vector<Term>;  // by their texts; empty: 0

// 4 * n * (a + b): a sum in brackets is not multiplied out. Factors are parameters, "threadIdx.x" and its like,
// constants as they are written, local variables that have several values, quotients ("n/4") and what else there is, as
// texts.
struct Term {
  int64_t times = 1;
  std::vector<std::string> factors = {};  // sorted
  Terms of = {};                          // one more factor; empty: none

  bool is_number() const { return factors.empty() && of.empty(); }
};

// One text for equal sums, whatever their order: "blockDim.x*blockIdx.x+threadIdx.x", "(K+7)/8".
std::string text_of(const Terms& sum);

inline std::string text_of_term(const Term& term) {
  std::string text = term.times != 1 || term.is_number() ? std::to_string(term.times) : "";
  const auto add = [&](const std::string& factor) { text += (text.empty() ? "" : "*") + factor; };
  for (const std::string& factor : term.factors) add(factor);
  if (!term.of.empty()) add("(" + text_of(term.of) + ")");
  return text;
}

inline std::string text_of(const Terms& sum) {
  std::string text;
  for (const Term& term : sum) text += (text.empty() ? "" : "+") + text_of_term(term);
  return text.empty() ? "0" : text;
}

}  // namespace assay
