// Ranking the ways to bind a kernel's parameters: all that types admit, cheapest first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/match.h"

namespace assay {
namespace {

constexpr size_t kWaysMax = 4000;  // that are looked at

struct Option {
  Binding binding;
  int cost = 0;
  size_t place = 0;  // in the contract
};

// A number for several dims together, as n of n = rows * cols.
std::vector<Binding> products(const Contract& contract) {
  std::vector<Binding> all;
  std::set<std::string> seen;
  for (const TensorSpec& tensor : contract.tensors) {
    if (tensor.shape.size() < 2) continue;
    const std::string text = fmt::format("{}", fmt::join(tensor.shape, " * "));
    if (seen.insert(text).second) all.push_back({Binding::dim, text, {}, text, nullptr, nullptr});
  }
  return all;
}

bool counts_elements(const std::string& name) {
  const std::string plain = plain_name(name);
  return is_one_of(plain, {"n", "size", "total", "count", "len", "length", "numel", "nelements", "numelements",
                           "elements", "totalelements", "totalsize", "total"});
}

class Ranking {
 public:
  Ranking(const KernelSource& kernel, const Contract& contract) : kernel_(kernel), contract_(contract) {
    const std::vector<Match> settled = match_parameters(kernel, contract);
    const auto uses = pointer_uses(kernel);
    std::set<std::string> taken;
    for (const Match& match : settled)
      if (match.binding && match.by_own_name) taken.insert(match.binding->name);
    for (size_t i = 0; i < settled.size(); ++i) options_.push_back(options(i, settled[i], uses, taken));
  }

  std::vector<RankedMatches> rank(size_t count_max) {
    chosen_.resize(options_.size());
    choose(0, 0);
    std::stable_sort(ways_.begin(), ways_.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
    if (ways_.size() > count_max) ways_.resize(count_max);
    return std::move(ways_);
  }

 private:
  std::vector<Option> options(size_t i, const Match& settled, const std::map<std::string, PointerUse>& uses,
                              const std::set<std::string>& taken) const {
    const Parameter& parameter = kernel_.parameters[i];
    if (settled.binding && settled.by_own_name) return {{*settled.binding, 0, 0}};
    std::vector<Option> all;
    const std::vector<Binding> bindings = bindings_of(contract_);
    for (size_t place = 0; place < bindings.size(); ++place) {
      const Binding& binding = bindings[place];
      if (taken.contains(binding.name) || !type_fits(kernel_, parameter, binding) ||
          !use_fits(uses, parameter, binding))
        continue;
      const bool settled_so = settled.binding && settled.binding->name == binding.name;
      const bool alike = likeness(parameter.name, binding) != none;
      if (binding.kind == Binding::attribute && !alike) continue;
      all.push_back({binding, settled_so ? 0 : alike ? 1 : 3, place});
    }
    if (!parameter.is_pointer && !all.empty() && all.front().binding.kind == Binding::dim)
      for (const Binding& product : products(contract_))
        all.push_back({product, counts_elements(parameter.name) ? 2 : 5, bindings.size()});
    return all;
  }

  void choose(size_t i, int cost) {
    if (ways_.size() >= kWaysMax) return;
    if (i == options_.size()) return keep(cost);
    for (const Option& option : options_[i]) {
      int more = option.cost;
      bool used = false;
      for (size_t before = 0; before < i; ++before) {
        used |= chosen_[before]->binding.name == option.binding.name;
        // The order of the contract is the usual one.
        more += chosen_[before]->binding.kind == option.binding.kind && option.cost > 0 &&
                chosen_[before]->place > option.place;
      }
      if (used) continue;
      chosen_[i] = &option;
      choose(i + 1, cost + more);
    }
  }

  void keep(int cost) {
    RankedMatches way;
    way.cost = cost;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const bool by_own_name = likeness(kernel_.parameters[i].name, chosen_[i]->binding) >= Likeness::own;
      way.matches.push_back({chosen_[i]->binding, by_own_name, ""});
      if (chosen_[i]->cost > 0)
        way.guesses.push_back(fmt::format("{} is {}", kernel_.parameters[i].name, chosen_[i]->binding.name));
    }
    ways_.push_back(std::move(way));
  }

  const KernelSource& kernel_;
  const Contract& contract_;
  std::vector<std::vector<Option>> options_;  // of each parameter
  std::vector<const Option*> chosen_;
  std::vector<RankedMatches> ways_;
};

}  // namespace

std::vector<RankedMatches> ranked_matches(const KernelSource& kernel, const Contract& contract, size_t count_max) {
  return Ranking(kernel, contract).rank(count_max);
}

}  // namespace assay
