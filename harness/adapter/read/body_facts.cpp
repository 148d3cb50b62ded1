// Arithmetic with sums.
#include "harness/adapter/read/body_facts.h"

#include <algorithm>
#include <ranges>

namespace assay {

bool has(const Term& term, std::string_view factor) {
  return std::ranges::find(term.factors, factor) != term.factors.end();
}

std::string only_factor(const Terms& sum) {
  const bool is_one = sum.size() == 1 && sum[0].times == 1 && sum[0].factors.size() == 1 && sum[0].of.empty();
  return is_one ? sum[0].factors[0] : "";
}

bool mentions(const Terms& sum, std::string_view factor) {
  return std::ranges::any_of(sum, [&](const Term& term) {
    return mentions(term.of, factor) ||
           std::ranges::any_of(term.factors, [&](const std::string& each) { return each.find(factor) != each.npos; });
  });
}

Terms without_numbers(Terms sum) {
  std::erase_if(sum, [](const Term& term) { return term.is_number(); });
  return sum;
}

bool BodyFacts::uses(std::string_view builtin, std::string_view axes) const {
  return std::ranges::any_of(axes, [&](char axis) { return builtins.contains(std::string(builtin) + '.' + axis); });
}

bool BodyFacts::varies(const std::string& name) const {
  return std::ranges::any_of(variables, [&](const BodyVariable& each) { return each.varies && each.name == name; });
}

Terms BodyFacts::begun(const Terms& sum) const {
  Terms all;
  for (Term term : sum) {
    for (const BodyVariable& variable : variables)
      if (variable.varies && term.of.empty() && !variable.begin.empty() && has(term, variable.name)) {
        std::erase(term.factors, variable.name);
        term.of = variable.begin;
      }
    if (term.times == 1 && term.factors.empty() && !term.of.empty())
      all.insert(all.end(), term.of.begin(), term.of.end());
    else
      all.push_back(std::move(term));
  }
  std::ranges::sort(all, {}, text_of_term);
  return all;
}

}  // namespace assay
