// Ranks the binding candidates for a kernel's parameters: rounds of a search, each of which admits one more of cost.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/adapter/candidates/body.h"
#include "harness/adapter/candidates/row_lengths.h"
#include "harness/adapter/cuda_text.h"
#include "harness/adapter/infer_launcher.h"
#include "harness/adapter/probe.h"

namespace assay {
namespace {

constexpr int kCostMax = 16;               // of a candidate above the least: dearer ones are never right
constexpr size_t kSteps = 200'000;         // of the search
constexpr const char* kOneForAll = "1.5";  // in every element of an input that a kernel takes as one number

// The cost of an option. A binding that the name suggests is nearly free; the order of the contract is the usual one.
constexpr int kLetters = 2;  // of not believing names of one letter
enum Cost { settled = 0, alike = 1, counts_all = 2, split = 2, another = 3, number = 5, again = 6 };

struct Option {
  Binding binding;
  int cost = 0;
  size_t place = 0;       // in the contract
  bool shared = false;    // may be bound to several parameters
  bool distance = false;  // a row's length as the distance between rows: another parameter may count its elements
};

Binding value(const std::string& expression, const std::string& name = "") {
  Binding binding;
  binding.kind = Binding::value;
  binding.name = name.empty() ? expression : name;
  binding.expression = expression;
  return binding;
}

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

// The extents of tensors that are no dims themselves, as the 2*dim of (T, 2*dim).
std::set<std::string> compound_extents(const Contract& contract) {
  std::set<std::string> all;
  for (const TensorSpec& tensor : contract.tensors)
    for (const std::string& extent : tensor.shape)
      if (extent.find_first_of("*+/") != std::string::npos) all.insert(extent);
  return all;
}

// The extent of the rows of what an op reads first: what a size of an unknown name mostly is.
bool is_row_length(const Contract& contract, const std::string& dim) {
  const TensorSpec& first = contract.tensors.front();
  return first.shape.size() > 1 && first.shape.back() == dim;
}

// Distances between what a tensor's extents but the first ones count, as H * D of (T, H, D).
std::vector<std::string> distances(const Contract& contract) {
  std::set<std::string> all;
  for (const TensorSpec& tensor : contract.tensors)
    for (size_t first = 1; first < tensor.shape.size(); ++first)
      all.insert(fmt::format(
          "{}", fmt::join(tensor.shape.begin() + static_cast<std::ptrdiff_t>(first), tensor.shape.end(), " * ")));
  return {all.begin(), all.end()};
}

bool counts_elements(const std::string& name) {
  return is_one_of(plain_name(name), {"n", "size", "total", "count", "len", "length", "numel", "nelements",
                                      "numelements", "elements", "totalelements", "totalsize"});
}

// Distances between rows, which are their lengths where nothing is between them.
bool counts_with_padding(const std::string& name) {
  const std::string plain = plain_name(name);
  return plain == "p" || plain == "vp" || plain == "pitch" || plain == "ld" || plain.find("stride") != plain.npos ||
         plain.find("padded") != plain.npos || (plain.size() == 3 && plain.starts_with("ld"));
}

bool is_real(const KernelSource& kernel, const Parameter& parameter) {
  const ElementType type = element_of_pointer(kernel, parameter);
  return type.kind == ElementKind::real || type.kind == ElementKind::template_parameter ||
         (type.kind == ElementKind::dtype && is_float(*type.dtype));
}

// The evidence that is believed where names and indices contradict each other. With indices, and with letters, names of
// one letter are hints; with names and letters, indices are not asked.
enum class Trust { both, indices, names, letters };

class Search {
 public:
  Search(const KernelSource& kernel, const Contract& contract, bool is_launcher,
         const std::map<std::string, PointerUse>& uses, Trust trust)
      : kernel_(kernel), contract_(contract), is_launcher_(is_launcher), trust_(trust), rows_(kernel, contract) {
    const std::vector<Match> given = match_parameters(kernel, contract);
    for (const auto& [count, pointer] : counts_of_elements(kernel))
      if (may_have_rows(pointer, uses)) counts_of_elements_.insert(count);
    std::set<std::string> taken;
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].binding && given[i].by_own_name && !is_hint(kernel.parameters[i]) &&
          !counts_with_padding(kernel.parameters[i].name))
        taken.insert(given[i].binding->name);
    for (size_t i = 0; i < given.size(); ++i) {
      options_.push_back(options(i, given[i], uses, taken));
      std::stable_sort(options_.back().begin(), options_.back().end(),
                       [](const Option& a, const Option& b) { return a.cost < b.cost; });
    }
  }

  std::vector<BindingCandidate> cheapest(size_t count_max) {
    for (const auto& each : options_)
      if (each.empty()) return {};
    chosen_.resize(options_.size());
    int least = 0;
    for (const auto& each : options_) least += each[0].cost;
    for (int cost = least; cost <= least + kCostMax && candidates_.size() < count_max && steps_ < kSteps; ++cost)
      choose(0, cost);
    if (candidates_.size() > count_max) candidates_.resize(count_max);
    return std::move(candidates_);
  }

 private:
  std::vector<Option> options(size_t i, const Match& given, const std::map<std::string, PointerUse>& uses,
                              const std::set<std::string>& taken) const {
    const Parameter& parameter = kernel_.parameters[i];
    if (given.binding && given.by_own_name && !is_hint(parameter) && use_fits(uses, parameter, *given.binding)) {
      std::vector<Option> own = {{converted(kernel_, parameter, *given.binding).value_or(*given.binding), settled, 0,
                                  false, counts_with_padding(parameter.name)}};
      copied(parameter, uses, bindings_of(contract_), alike, own);
      return own;
    }
    if (parameter.type.starts_with("cudaStream")) return {{value("nullptr"), settled, 0, true}};
    if (is_block_size(parameter) && is_launcher_) return {{value("block"), settled, 0, true}};
    std::vector<Option> all;
    std::vector<Binding> bindings = bindings_of(contract_);
    for (Binding& each : bindings) each = converted(kernel_, parameter, each).value_or(each);
    if (!parameter.is_pointer && !is_whole_number(parameter) && !is_real(kernel_, parameter))
      return {
          {value(parameter.type + "()"), alike, bindings.size(), true}};  // of a class or an enum: as if it were absent
    for (size_t place = 0; place < bindings.size(); ++place) {
      const Binding& binding = bindings[place];
      const bool fits =
          (binding.converted || type_fits(kernel_, parameter, binding)) && use_fits(uses, parameter, binding);
      const bool is_alike = is_called_like(parameter.name, binding);
      if (fits && taken.contains(binding.name)) {
        if (binding.kind == Binding::dim)
          all.push_back({binding, counts_with_padding(parameter.name) ? counts_all : again, place, true});
        continue;
      }
      if (!fits) {
        one_for_all(parameter, binding, is_alike, place, all);
        continue;
      }
      // Padding and the like, which shapes do not show, is what its name says or nothing.
      const DimSpec* dim = binding.kind == Binding::dim ? &contract_.dims[place - contract_.tensors.size()] : nullptr;
      if (dim && dim->min == 0 && !is_alike && !is_extent(contract_, *dim)) continue;
      const bool is_settled = given.binding && given.binding->name == binding.name;
      if (binding.kind == Binding::attribute && !is_alike && !is_real(kernel_, parameter)) continue;
      const int cost = is_settled                                                            ? settled
                       : is_alike                                                            ? alike
                       : binding.kind == Binding::attribute                                  ? number
                       : is_hint(parameter) && dim                                           ? split
                       : parameter.name.size() > 1 && is_row_length(contract_, binding.name) ? split
                                                                                             : another;
      all.push_back({binding, cost, place});
      if (binding.kind == Binding::dim) all.push_back({binding, cost + again, place, true});
    }
    for (Option& option : all)
      option.distance = option.binding.kind == Binding::dim && counts_with_padding(parameter.name);
    in_place(parameter, uses, all);
    copied(parameter, uses, bindings, settled, all);
    added_to(parameter, uses, all);
    for (Option& option : all)  // reading what nothing has written is unlikely
      if (option.binding.spec && option.binding.in_place_of.empty() && !option.binding.zeroed &&
          is_read_and_written(uses, parameter))
        option.cost += split;
    if (parameter.type == "bool")
      flags(parameter, bindings.size(), all);
    else
      others(parameter, uses, bindings.size(), all);
    return all;
  }

  // Whether a pointer may be bound to a tensor of two axes and more, whose elements no dim counts.
  bool may_have_rows(const std::string& pointer, const std::map<std::string, PointerUse>& uses) const {
    return std::ranges::any_of(kernel_.parameters, [&](const Parameter& parameter) {
      return parameter.name == pointer && std::ranges::any_of(bindings_of(contract_), [&](const Binding& binding) {
               return binding.spec && (binding.spec->shape.size() > 1 || binding.spec->shape_by) &&
                      (type_fits(kernel_, parameter, binding) || converted(kernel_, parameter, binding)) &&
                      use_fits(uses, parameter, binding);
             });
    });
  }

  // A name that says less than the indices do: m, n and p are whatever they are used for; and A may be our B.
  bool is_hint(const Parameter& parameter) const {
    const bool is_letter = plain_name(parameter.name).size() == 1;
    return is_letter && (trust_ == Trust::letters || (trust_ == Trust::indices && is_whole_number(parameter)));
  }

  // An output where its input was is what a pointer with that input's name takes, if it is read and written.
  void in_place(const Parameter& parameter, const std::map<std::string, PointerUse>& uses,
                std::vector<Option>& all) const {
    const auto use = uses.find(parameter.name);
    if (use == uses.end() || !use->second.read || !use->second.written) return;
    for (const Binding& input : bindings_of(contract_)) {
      if (likeness(parameter.name, input) == none) continue;
      for (Option& option : all)
        if (!alias_of(contract_, option.binding.name, input.name).empty()) option.cost = std::min(option.cost, +alike);
    }
  }

  static bool is_read_and_written(const std::map<std::string, PointerUse>& uses, const Parameter& parameter) {
    const auto use = uses.find(parameter.name);
    return use != uses.end() && use->second.read && use->second.written && !use->second.added_to;
  }

  // A pointer that is read and written holds an input before the launch, where the op has one of that shape.
  void copied(const Parameter& parameter, const std::map<std::string, PointerUse>& uses,
              const std::vector<Binding>& bindings, int more, std::vector<Option>& all) const {
    if (!is_read_and_written(uses, parameter)) return;
    const size_t count = all.size();
    for (size_t i = 0; i < count; ++i)
      for (const Binding& input : bindings) {
        if (!all[i].binding.spec || !input.spec || !can_be_in_place(*all[i].binding.spec, *input.spec) ||
            !alias_of(contract_, all[i].binding.name, input.name).empty())
          continue;
        Option one = all[i];
        one.binding.in_place_of = input.name;
        one.cost = (is_called_like(parameter.name, input) ? std::min(one.cost, +alike) : one.cost) + more;
        all.push_back(one);
      }
  }

  // A pointer that is read and written may be an output that the kernel adds to, as gradients are.
  static void added_to(const Parameter& parameter, const std::map<std::string, PointerUse>& uses,
                       std::vector<Option>& all) {
    if (!is_read_and_written(uses, parameter)) return;
    const size_t count = all.size();
    for (size_t i = 0; i < count; ++i) {
      if (!all[i].binding.spec || all[i].binding.spec->role != Role::output || !all[i].binding.in_place_of.empty())
        continue;
      Option one = all[i];
      one.binding.zeroed = true;
      one.cost += alike;
      all.push_back(one);
    }
  }

  // One number where the op has a tensor that is the same for every row: cases hold one value in it.
  void one_for_all(const Parameter& parameter, const Binding& binding, bool is_alike, size_t place,
                   std::vector<Option>& all) const {
    if (!binding.spec || !may_be_constant(contract_, *binding.spec) || parameter.is_pointer ||
        !is_real(kernel_, parameter))
      return;
    Binding one = value(binding.name + "[0]", binding.name);
    one.constant = kOneForAll;
    all.push_back({one, is_alike ? alike : another, place});
  }

  void others(const Parameter& parameter, const std::map<std::string, PointerUse>& uses, size_t place,
              std::vector<Option>& all) const {
    const auto use = uses.find(parameter.name);
    if (parameter.is_pointer) {
      const bool read_only = parameter.is_const || (use != uses.end() && !use->second.written);
      const int less = all.empty() ? number - split : 0;  // nothing of the op fits it, so one of these does
      all.push_back({value("nullptr"), (read_only ? number : again) - less, place, true});
      all.push_back({value("workspace"), number - less + (read_only ? 1 : 0), place, read_only});  // it holds 0
      return;
    }
    const bool compared = counts_of_elements_.contains(parameter.name);
    if (std::any_of(all.begin(), all.end(), [](const Option& o) { return o.binding.kind == Binding::dim; })) {
      for (const Binding& product : products(contract_))
        all.push_back({product,
                       compared                          ? settled
                       : counts_elements(parameter.name) ? counts_all
                                                         : again,
                       place, true});
      for (const std::string& extent : compound_extents(contract_))
        all.push_back({Binding{Binding::dim, extent, {}, extent, nullptr, nullptr}, another, place, true});
    }
    if (compared)  // with an index of elements: no dim is one of these counts, but where the others are 1
      for (Option& option : all)
        if (option.binding.kind == Binding::dim && option.cost == settled && option.place < place)
          option.cost = counts_all;
    // One of two counts whose product is a dim: batch and seq_len, where the op counts rows.
    const bool counts = std::any_of(all.begin(), all.end(), [&](const Option& o) {
      return o.binding.kind == Binding::dim && likeness(parameter.name, o.binding) != none;
    });
    all.push_back({value("1"), counts ? split : number, place, true});
    const bool is_added = is_real(kernel_, parameter) && (parameter.name.find("bias") != std::string::npos ||
                                                          parameter.name.find("offset") != std::string::npos);
    all.push_back({value("0"), is_added ? alike : +again, place, true});
    if (parameter.name.find("stride") != std::string::npos || counts_with_padding(parameter.name))
      for (const std::string& distance : distances(contract_))
        all.push_back({Binding{Binding::dim, distance, {}, distance, nullptr, nullptr}, alike, place, true});
  }

  // A switch is no size: off, or on, unless it is one of the op's own.
  static void flags(const Parameter& parameter, size_t place, std::vector<Option>& all) {
    std::erase_if(all, [&](const Option& option) {
      return option.binding.kind != Binding::attribute || likeness(parameter.name, option.binding) == none;
    });
    all.push_back({value("false"), alike, place, true});
    all.push_back({value("true"), split, place, true});
  }

  // Every binding of the parameters from i on that costs exactly this.
  void choose(size_t i, int left) {
    if (++steps_ > kSteps) return;
    if (i == options_.size()) {
      if (left == 0) keep();
      return;
    }
    for (const Option& option : options_[i]) {
      int cost = option.cost;
      if (cost > left) break;  // they are sorted
      bool used = false;
      for (size_t before = 0; before < i; ++before) {
        const Option& other = *chosen_[before];
        used |= other.binding.name == option.binding.name && !option.shared && !other.distance && !option.distance;
        used |= !option.binding.in_place_of.empty() && other.binding.name == option.binding.in_place_of;
        used |= other.binding.in_place_of == option.binding.name && !option.binding.name.empty();
        cost += other.binding.kind == option.binding.kind && option.cost > 0 && other.place > option.place;
      }
      if (used || cost > left) continue;
      chosen_[i] = &option;
      choose(i + 1, left - cost);
    }
  }

  void keep() {
    const auto writes = [](const Option* o) { return o->binding.spec && o->binding.spec->role != Role::input; };
    if (std::none_of(chosen_.begin(), chosen_.end(), writes)) return;
    std::map<std::string, const Binding*> bindings;
    for (size_t i = 0; i < chosen_.size(); ++i) bindings[kernel_.parameters[i].name] = &chosen_[i]->binding;
    const auto shown = rows_.agreeing(bindings);
    if (!shown && trust_ != Trust::names && trust_ != Trust::letters) return;
    BindingCandidate candidate;
    candidate.choices = shown.value_or(Choices{});
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const Option& option = *chosen_[i];
      const bool by_own_name = likeness(kernel_.parameters[i].name, option.binding) >= Likeness::own;
      candidate.matches.push_back({option.binding, by_own_name, ""});
      candidate.cost += option.cost;
      if (option.cost > 0)
        candidate.guesses.push_back(
            fmt::format("{} is {}{}", kernel_.parameters[i].name, option.binding.expression,
                        option.binding.in_place_of.empty() ? "" : " in the place of " + option.binding.in_place_of));
    }
    candidates_.push_back(std::move(candidate));
  }

  const KernelSource& kernel_;
  const Contract& contract_;
  const bool is_launcher_;
  const Trust trust_;
  const RowLengths rows_;
  std::set<std::string> counts_of_elements_;
  std::vector<std::vector<Option>> options_;  // of each parameter, cheapest first
  std::vector<const Option*> chosen_;
  std::vector<BindingCandidate> candidates_;
  size_t steps_ = 0;
};

}  // namespace

// Names that the indices agree with, and what the indices alone suggest; else what the names say, of which those of one
// letter say less.
static std::vector<BindingCandidate> ranked(const KernelSource& called, const Contract& contract, bool is_launcher,
                                            const std::map<std::string, PointerUse>& uses, size_t count_max) {
  std::vector<BindingCandidate> all;
  const auto search = [&](Trust trust) {
    for (BindingCandidate& each : Search(called, contract, is_launcher, uses, trust).cheapest(count_max)) {
      if (trust == Trust::letters) each.cost += kLetters;
      all.push_back(std::move(each));
    }
  };
  if (!row_lengths(called).empty())
    for (const Trust trust : {Trust::both, Trust::indices}) search(trust);
  if (all.empty())
    for (const Trust trust : {Trust::names, Trust::letters}) search(trust);
  std::ranges::stable_sort(all, {}, &BindingCandidate::cost);
  if (all.size() > count_max) all.resize(count_max);
  return all;
}

std::vector<BindingCandidate> ranked_bindings(const KernelSource& kernel, const Contract& contract, size_t count_max) {
  return ranked(kernel, contract, false, kernel.uses, count_max);
}

std::vector<BindingCandidate> ranked_bindings(const FunctionSource& launcher, const Contract& contract,
                                              size_t count_max) {
  return ranked(launcher, contract, true, launcher.uses, count_max);
}

}  // namespace assay
