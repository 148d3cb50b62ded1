// Ranks the binding candidates for a kernel's parameters: rounds of a search, each of which admits one more of cost.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/bind/candidates/options.h"
#include "harness/adapter/bind/candidates/row_lengths.h"
#include "harness/adapter/bind/probe.h"

namespace assay {
namespace {

constexpr int kCostMax = 16;        // of a candidate above the first: dearer ones are never right
constexpr int kLetters = 2;         // the cost of not believing names of one letter
constexpr int kContradiction = 4;   // of indices, where others agree with them
constexpr size_t kSteps = 200'000;  // of the search

using Alternatives = std::set<std::pair<const TensorSpec*, const TensorSpec*>>;

Alternatives alternatives(const Contract& contract) {
  Alternatives all;
  for (const TensorSpec& one : contract.tensors)
    for (const TensorSpec& other : contract.tensors)
      if (&one < &other && are_alternatives(contract, one, other)) all.emplace(&one, &other);
  return all;
}

class Search {
 public:
  Search(const KernelSource& kernel, const Contract& contract, Trust trust, bool may_leave_sizes)
      : kernel_(kernel),
        contract_(contract),
        trust_(trust),
        may_leave_sizes_(may_leave_sizes),
        rows_(kernel, contract),
        options_(options_of(kernel, contract, trust)),
        first_names_(options_.size()),
        alternatives_(alternatives(contract)) {
    const auto place = [&](const std::string& name) {
      return std::ranges::find(kernel.parameters, name, &Parameter::name) - kernel.parameters.begin();
    };
    for (const auto& [second, first] : second_names(kernel))
      first_names_[static_cast<size_t>(place(second))] = static_cast<size_t>(place(first));
  }

  std::vector<BindingCandidate> cheapest(size_t count_max) {
    for (const auto& each : options_)
      if (each.empty()) return {};
    chosen_.resize(options_.size());
    for (size_t i = 0; i <= options_.size(); ++i) least_.push_back(least_from(i));
    int most = std::numeric_limits<int>::max();
    for (int cost = least_[0]; cost <= most && candidates_.size() < count_max && steps_ < kSteps; ++cost) {
      choose(0, cost);
      if (!candidates_.empty()) most = std::min(most, candidates_[0].cost + kCostMax);
    }
    if (candidates_.size() > count_max) candidates_.resize(count_max);
    return std::move(candidates_);
  }

  bool leaves_sizes() const { return leaves_sizes_; }

 private:
  // No more than what the parameters from one on cost together: each takes what several may have, except that one
  // parameter takes each of the others.
  int least_from(size_t first) const {
    int least = 0;
    std::map<std::string, int> saved;
    for (size_t i = first; i < options_.size(); ++i) {
      if (first_names_[i]) continue;
      const auto shared = std::ranges::find_if(options_[i], &Option::shared);
      if (shared == options_[i].end()) {
        least += options_[i][0].cost;
        continue;
      }
      least += shared->cost;
      for (const Option& option : options_[i])
        if (!option.shared)
          saved[option.binding.name] = std::max(saved[option.binding.name], shared->cost - option.cost);
    }
    for (const auto& [name, less] : saved) least -= less;
    return least;
  }

  // Whether two pointers of one template type take whole numbers and others.
  bool is_of_two_types(size_t i, const Binding& one, size_t j, const Binding& other) const {
    const auto is_whole = [](const Binding& binding) { return binding.spec->dtype && !is_float(*binding.spec->dtype); };
    const Parameter& parameter = kernel_.parameters[i];
    return one.spec && other.spec && parameter.type == kernel_.parameters[j].type &&
           element_of_pointer(kernel_, parameter).kind == ElementKind::template_parameter &&
           is_whole(one) != is_whole(other);
  }

  // Whether the parameter takes what the one takes that it is a second name of, which costs little.
  bool is_second_name(size_t i, const Option& option) const {
    return first_names_[i] && option.shared && option.binding.name == chosen_[*first_names_[i]]->binding.name;
  }
  int cost_of(size_t i, const Option& option) const {
    return is_second_name(i, option) ? std::min(option.cost, +alike) : option.cost;
  }

  // Every binding of the parameters from i on that costs exactly this.
  void choose(size_t i, int left) {
    if (++steps_ > kSteps) return;
    if (i == options_.size()) {
      if (left == 0) keep();
      return;
    }
    for (const Option& option : options_[i]) {
      const bool is_second = is_second_name(i, option);
      int cost = cost_of(i, option);
      if (cost > left && !first_names_[i]) break;  // they are sorted
      bool used = false;
      for (size_t before = 0; before < i; ++before) {
        const Option& other = *chosen_[before];
        used |= other.binding.name == option.binding.name && !option.shared && !other.distance && !option.distance;
        used |= !option.binding.in_place_of.empty() && other.binding.name == option.binding.in_place_of;
        used |= other.binding.in_place_of == option.binding.name && !option.binding.name.empty();
        used |= is_of_two_types(i, option.binding, before, other.binding);
        cost +=
            other.binding.kind == option.binding.kind && option.cost > 0 && other.place > option.place && !is_second;
      }
      if (used || cost + least_[i + 1] > left) continue;
      chosen_[i] = &option;
      choose(i + 1, left - cost);
    }
  }

  // Whether all parts of all tensors that have some are taken as such, or none is; where they are, no pointer is the
  // whole, and no count that of it.
  bool splits_all_or_none() const {
    std::set<std::string> parts, wholes;  // taken, as expressions
    for (const Option* option : chosen_)
      for (const std::string& taken : {option->binding.expression, option->binding.in_place_of})
        (tensor_in(taken) == taken ? wholes : parts).insert(taken);
    if (parts.empty()) return true;
    return std::ranges::all_of(bindings_of(contract_), [&](const Binding& whole) {
      const std::vector<Binding> all = parts_of(whole);
      const auto taken = std::ranges::count_if(all, [&](const Binding& part) { return parts.contains(part.name); });
      if (all.empty() || (taken == 0 && !wholes.contains(whole.name))) return true;
      return taken == std::ssize(all) && !wholes.contains(whole.name) && !wholes.contains(whole.spec->shape.back()) &&
             !wholes.contains(fmt::format("{}", fmt::join(whole.spec->shape, " * ")));
    });
  }

  // Whether two tensors are taken that no case has together.
  bool takes_alternatives() const {
    for (const Option* one : chosen_)
      for (const Option* other : chosen_)
        if (one->binding.spec < other->binding.spec && alternatives_.contains({one->binding.spec, other->binding.spec}))
          return true;
    return false;
  }

  // Whether a number that is called like one of the op's sizes is another one, or none, and nothing else is that size:
  // indices that agree with nothing else are wrong.
  bool leaves_a_size_out() const {
    const std::vector<Binding> all = bindings_of(contract_);
    const auto is_chosen = [&](const TensorSpec& tensor) {
      return std::ranges::any_of(chosen_, [&](const Option* option) { return option->binding.spec == &tensor; });
    };
    for (const Parameter& parameter : kernel_.parameters)
      for (const Binding& dim : all)
        if (dim.kind == Binding::dim && parameter.name.size() > 1 && is_whole_number(parameter) &&
            !is_of_absent_tensors(contract_, dim.name, is_chosen) && is_called_like(parameter.name, dim) &&
            std::ranges::none_of(chosen_,
                                 [&](const Option* option) { return option->binding.expression == dim.expression; }))
          return true;
    return false;
  }

  // Whether a pointer that is called like an input is given nothing, and nothing else is that input: a kernel that does
  // not read its weights is no kernel without any.
  bool leaves_an_input_out() const {
    const std::vector<Binding> all = bindings_of(contract_);
    const auto is_left = [&](const std::string& pointer, const Binding& input) {
      return input.spec && input.spec->role == Role::input && !input.spec->absent && is_called_like(pointer, input) &&
             std::ranges::none_of(chosen_, [&](const Option* option) {
               return tensor_in(option->binding.expression) == input.name || option->binding.in_place_of == input.name;
             });
    };
    for (size_t i = 0; i < chosen_.size(); ++i)
      if (kernel_.parameters[i].is_const && is_one_of(chosen_[i]->binding.expression, {"workspace", "nullptr"}) &&
          std::ranges::any_of(all, [&](const Binding& each) { return is_left(kernel_.parameters[i].name, each); }))
        return true;
    return false;
  }

  void keep() {
    const auto writes = [](const Option* o) { return o->binding.spec && o->binding.spec->role != Role::input; };
    if (std::none_of(chosen_.begin(), chosen_.end(), writes)) return;
    if (!splits_all_or_none() || takes_alternatives()) return;
    std::map<std::string, const Binding*> bindings;
    for (size_t i = 0; i < chosen_.size(); ++i) bindings[kernel_.parameters[i].name] = &chosen_[i]->binding;
    const auto shown = rows_.agreeing(bindings);
    if (!shown && trust_ != Trust::names && trust_ != Trust::letters) return;
    if (!may_leave_sizes_ && (leaves_a_size_out() || leaves_an_input_out())) {
      leaves_sizes_ = true;
      return;
    }
    BindingCandidate candidate;
    candidate.choices = shown.value_or(Choices{});
    candidate.agrees_with_indices = shown.has_value();
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const Option& option = *chosen_[i];
      const bool by_own_name = likeness(kernel_.parameters[i].name, option.binding) >= Likeness::own;
      candidate.matches.push_back({option.binding, by_own_name, ""});
      candidate.cost += cost_of(i, option);
      if (option.cost > 0)
        candidate.guesses.push_back(
            fmt::format("{} is {}{}", kernel_.parameters[i].name, option.binding.expression,
                        option.binding.in_place_of.empty() ? "" : " in the place of " + option.binding.in_place_of));
    }
    candidates_.push_back(std::move(candidate));
  }

  const KernelSource& kernel_;
  const Contract& contract_;
  const Trust trust_;
  const bool may_leave_sizes_;
  bool leaves_sizes_ = false;  // in one that was not kept
  const RowLengths rows_;
  const std::vector<std::vector<Option>> options_;  // of each parameter, cheapest first
  std::vector<std::optional<size_t>> first_names_;  // the parameter that another is a second name of, by that
  const Alternatives alternatives_;
  std::vector<int> least_;  // what the parameters from each on cost at least
  std::vector<const Option*> chosen_;
  std::vector<BindingCandidate> candidates_;
  size_t steps_ = 0;
};

}  // namespace

// Names that the indices agree with, and what the indices alone suggest; else what the names say, of which those of one
// letter say less.
std::vector<BindingCandidate> ranked_bindings(const KernelSource& called, const Contract& contract, size_t count_max) {
  std::vector<BindingCandidate> all;
  bool leaves_sizes = false;
  const auto search = [&](Trust trust, bool may_leave_sizes) {
    Search one(called, contract, trust, may_leave_sizes);
    for (BindingCandidate& each : one.cheapest(count_max)) {
      if (trust == Trust::letters) each.cost += kLetters;
      all.push_back(std::move(each));
    }
    leaves_sizes |= one.leaves_sizes();
  };
  const auto search_all = [&](bool may_leave_sizes) {
    if (!row_lengths(called).empty())
      for (const Trust trust : {Trust::both, Trust::indices}) search(trust, may_leave_sizes);
    if (all.empty() || leaves_sizes)
      for (const Trust trust : {Trust::names, Trust::letters}) search(trust, may_leave_sizes);
  };
  search_all(false);
  if (all.empty()) search_all(true);
  if (std::ranges::any_of(all, &BindingCandidate::agrees_with_indices))
    for (BindingCandidate& each : all)
      if (!each.agrees_with_indices) each.cost += kContradiction;
  std::ranges::stable_sort(all, {}, &BindingCandidate::cost);
  if (all.size() > count_max) all.resize(count_max);
  return all;
}

}  // namespace assay
