// Outputs that are not made, inputs that hold a constant, dims that are 0, and attributes that formulas, roles or
// numbers in the text decide.
#include "harness/adapter/bind/infer_missing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/op/changed_values.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

// Whether an attribute changes values, which takes a run of the reference: asked once, as candidates are many.
bool is_felt(const Contract& contract, const AttrSpec& attr) {
  static std::map<std::string, bool> known;
  const std::string key = fmt::format("{} {} {}", contract.name, attr.name, fmt::join(attr.choices, ","));
  if (!known.contains(key)) known[key] = changes_values(contract, attr);
  return known[key];
}

double neutral(const Contract& contract, const TensorSpec& tensor) {
  static std::map<std::string, double> known;
  const auto [at, is_new] = known.try_emplace(contract.name + " " + tensor.name);
  if (is_new) at->second = neutral_value(contract, tensor.name);
  return at->second;
}

class Missing {
 public:
  Missing(const Contract& contract, const Taken& taken, Inferred& inferred)
      : contract_(contract), taken_(taken), inferred_(inferred) {}

  void tensor(const TensorSpec& tensor) {
    if (taken_.names.contains(tensor.name)) return;
    // The result that an op is for is not left out beside a result that nobody looks at: that may be it.
    const bool is_main =
        &tensor == &*std::ranges::find_if(contract_.tensors, [](const auto& each) { return each.role != Role::input; });
    if (tensor.role == Role::input)
      missing_input(tensor);
    else if ((is_main && taken_.writes_scratch) || taken_.writes_result)
      ask(fmt::format("the output {}: no parameter takes it, and {} writes scratch memory", tensor.name,
                      adapter().name));
    else if (std::any_of(contract_.tensors.begin(), contract_.tensors.end(), [&](const TensorSpec& other) {
               return other.role != Role::input && taken_.names.contains(other.name);
             })) {
      adapter().omits.push_back(tensor.name);
      remark(fmt::format("No parameter takes the output {}, so it is not judged.", tensor.name));
    } else {
      ask(fmt::format("the output {}: no parameter takes it", tensor.name));
    }
  }

  void dim(const DimSpec& dim) {
    if (taken_.names.contains(dim.name)) return;
    if (is_extent(contract_, dim)) return extent(dim);
    if (dim.min > 0) return ask(fmt::format("{} ({}): no parameter takes it", dim.name, dim.meaning));
    adapter().fixed.push_back({dim.name, "0"});
    remark(fmt::format("No parameter takes {} ({}), so it must be 0.", dim.name, dim.meaning));
  }

  // A size that the launch does not have either may be a part of one that is bound by its name: N of an array's
  // elements.
  void extent(const DimSpec& dim) {
    remark(fmt::format("No parameter takes {} ({}).", dim.name, dim.meaning));
    const auto is_about_it = [&](const std::string& text) { return mentions(tokens_of(text), dim.name); };
    const auto has_it = [&](const AdapterLaunch& launch) {
      return std::ranges::any_of(launch.args, is_about_it) || std::ranges::any_of(launch.grid, is_about_it) ||
             std::ranges::any_of(launch.block, is_about_it);
    };
    const bool is_fixed = std::ranges::find(adapter().fixed, dim.name, &Fixed::name) != adapter().fixed.end();
    if (!is_fixed && std::ranges::none_of(adapter().launches, has_it) &&
        std::ranges::none_of(inferred_.guesses, is_about_it))
      inferred_.guesses.push_back(fmt::format("the kernel needs no {}", dim.name));
  }

  void attribute(const AttrSpec& attr) {
    if (attr.name == kAliasAttr && taken_.chosen.contains(attr.name)) {
      choose_one(attr);
      return;
    }
    if (attr.choices.size() == 1) return;                                    // it is fixed already
    if (!attr.of_input.empty() && taken_.names.contains(attr.name)) return;  // its input's range is stated
    if (require_presence(attr) || (taken_.names.contains(attr.name) && is_number(attr))) return;
    if (require_element(attr)) return;
    if (attr.optional && require_added_number(attr)) return;
    if (attr.optional && !is_another_result(attr)) return;  // at its first choice: what the op was before it had it
    Texts shaped;
    std::vector<bool> fits(attr.choices.size(), true);
    for (const TensorSpec& tensor : contract_.tensors) {
      const std::vector<Extents> all = extents_by(contract_, tensor, attr);
      const bool same = std::all_of(all.begin(), all.end(), [&](const Extents& each) { return each == all.front(); });
      if (same || !taken_.names.contains(tensor.name)) continue;
      shaped.push_back(tensor.name);
      for (size_t i = 0; i < all.size(); ++i) fits[i] = fits[i] && !all[i].is_empty();
    }
    if (!shaped.empty()) return require_shape(attr, shaped, fits);
    if (const Texts turned = turned_by(attr); !turned.empty()) return require_role(attr, turned);
    if (const auto without = choices_without(attr); without.size() == 1) return leave_out(attr, without[0]);
    if (is_number(attr)) return require_number(attr);
    if (is_felt(contract_, attr)) require_choice(attr);
  }

 private:
  Adapter& adapter() { return inferred_.adapter; }
  void remark(std::string sentence) { inferred_.remarks.push_back(std::move(sentence)); }
  void ask(std::string sentence) { inferred_.unknown.push_back(std::move(sentence)); }

  // An input that is there in every case has a meaning, and a kernel without it may compute another op.
  void missing_input(const TensorSpec& tensor) {
    if (const auto chosen = taken_.chosen.find(kAliasAttr); chosen != taken_.chosen.end())
      for (const Alias& alias : aliases_in(chosen->second))
        if (alias.input == tensor.name)
          return remark(fmt::format("The input {} is where {} is written.", tensor.name, alias.written));
    const auto attr = std::ranges::find(contract_.attrs, tensor.name, &AttrSpec::of_input);
    if (Texts numbers = attr == contract_.attrs.end() ? Texts() : numbers_given(*attr); !numbers.empty()) {
      remark(fmt::format("{} computes {} itself, of {} {}.", adapter().name, tensor.name, attr->name,
                         fmt::join(numbers, " or ")));
      adapter().ranges.push_back({.name = attr->name, .values = std::move(numbers)});
      if (may_be_computed(tensor.name)) adapter().rounds.push_back(tensor.name);
      return;
    }
    if (may_be_constant(contract_, tensor)) {
      const double held = neutral(contract_, tensor);
      adapter().constants.push_back({tensor.name, held});
      remark(fmt::format("No parameter takes the input {}, so cases hold {:g} in it.", tensor.name, held));
    } else {
      remark(fmt::format("No parameter takes the input {}.", tensor.name));
    }
    if ((!tensor.absent && !tensor.shape.empty()) || may_be_constant(contract_, tensor))
      inferred_.guesses.push_back(
          fmt::format("{} computes {} without {}", adapter().name, contract_.name, tensor.name));
  }

  // The choices of an attribute that the kernel makes an input of: all that are numbers where it is given one, and else
  // those that are written in it.
  Texts numbers_given(const AttrSpec& attr) const {
    Texts numbers = attr.choices;
    std::erase_if(numbers, [&](const std::string& choice) {
      const std::optional<double> number = number_of(choice);
      return !number ||
             (!taken_.names.contains(attr.name) &&
              std::ranges::none_of(taken_.written, [&](const auto& each) { return number_of(each.text) == number; }));
    });
    return numbers;
  }
  bool may_be_computed(const std::string& name) const {
    return std::ranges::any_of(contract_.roundings,
                               [&](const auto& each) { return each.is_computed && each.name == name; });
  }

  // The shape of tensors that the kernel takes depends on `attr`: requires a choice for which none of them is empty.
  void require_shape(const AttrSpec& attr, const Texts& shaped, const std::vector<bool>& fits) {
    Texts left;
    for (size_t i = 0; i < fits.size(); ++i)
      if (fits[i]) left.push_back(attr.choices[i]);
    if (left.size() == 1) {
      adapter().fixed.push_back({attr.name, left[0]});
      return remark(fmt::format("{} is given, so {} ({}) must be {}.", fmt::join(shaped, ", "), attr.name, attr.meaning,
                                left[0]));
    }
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}), on which the shape of {} depends: `fix` must say which of {} the kernel expects",
                    attr.name, attr.meaning, fmt::join(shaped, ", "), fmt::join(attr.choices, ", ")));
  }

  // A kernel that reads an optional input whatever its pointer is cannot do without it.
  bool require_presence(const AttrSpec& attr) {
    Case c = probe(contract_);
    Texts present;
    for (const std::string& choice : attr.choices) {
      c.set(attr.name, choice);
      if (std::ranges::none_of(contract_.tensors, [&](const TensorSpec& tensor) {
            return tensor.absent && taken_.read_untested.contains(tensor.name) && tensor.absent(c);
          }))
        present.push_back(choice);
    }
    if (present.size() != 1 || attr.choices.size() == 1) return false;
    adapter().fixed.push_back({attr.name, present[0]});
    remark(
        fmt::format("{} does not ask whether {} is there, so it must be {}.", adapter().name, attr.name, present[0]));
    return true;
  }

  // float* c is C in f32 whatever the dtype, where `attr` says which C has. False where the types show no one choice.
  bool require_element(const AttrSpec& attr) {
    Texts fitting;
    Case c = probe(contract_);
    for (const std::string& choice : attr.choices) {
      c.set(attr.name, choice);
      const bool fits = std::ranges::all_of(contract_.tensors, [&](const TensorSpec& tensor) {
        const auto element = taken_.elements.find(tensor.name);
        if (!tensor.dtype_by || element == taken_.elements.end()) return true;
        return std::ranges::all_of(adapter().dtypes, [&](DType dtype) {
          c.dtype = dtype;
          return tensor.dtype_by(c) == element->second;
        });
      });
      if (fits) fitting.push_back(choice);
    }
    if (fitting.size() != 1) return false;
    adapter().fixed.push_back({attr.name, fitting[0]});
    remark(fmt::format("The types of its parameters ask for {} ({}) = {}.", attr.name, attr.meaning, fitting[0]));
    return true;
  }

  // Whether choices in words give what the kernel writes other values or another shape: rope's pairs. A number that the
  // kernel is not given is the first, and so is a shape of what it reads: of these, too many would have to be tried.
  bool is_another_result(const AttrSpec& attr) const {
    const auto is_word = [](const std::string& choice) { return !number_of(choice); };
    if (!std::all_of(attr.choices.begin(), attr.choices.end(), is_word)) return false;
    return is_felt(contract_, attr) ||
           std::any_of(contract_.tensors.begin(), contract_.tensors.end(), [&](const TensorSpec& tensor) {
             const std::vector<Extents> all = extents_by(contract_, tensor, attr);
             return tensor.role != Role::input && taken_.names.contains(tensor.name) &&
                    std::any_of(all.begin(), all.end(), [&](const Extents& each) { return !(each == all.front()); });
           });
  }

  // The tensors of the kernel that a choice of `attr` has overwritten, and another added to.
  Texts turned_by(const AttrSpec& attr) const {
    Texts turned;
    for (const TensorSpec& tensor : contract_.tensors) {
      const std::vector<Role> roles = roles_by(contract_, tensor, attr);
      const bool same = std::all_of(roles.begin(), roles.end(), [&](Role role) { return role == roles.front(); });
      if (!same && taken_.names.contains(tensor.name)) turned.push_back(tensor.name);
    }
    return turned;
  }

  // An output that is never read, or cleared before, is overwritten; whether one that is read is added to, no text
  // shows for sure.
  void require_role(const AttrSpec& attr, const Texts& turned) {
    const auto is_cleared = [&](const std::string& name) {
      return std::ranges::find(adapter().zero, name) != adapter().zero.end();
    };
    const bool overwrites = std::all_of(turned.begin(), turned.end(), [&](const std::string& name) {
      const auto use = taken_.only_written.find(name);
      return (use != taken_.only_written.end() && use->second) || is_cleared(name);
    });
    if (overwrites) {
      const auto tensor = std::find_if(contract_.tensors.begin(), contract_.tensors.end(),
                                       [&](const TensorSpec& each) { return each.name == turned[0]; });
      const std::vector<Role> roles = roles_by(contract_, *tensor, attr);
      const auto choice = std::find(roles.begin(), roles.end(), Role::output) - roles.begin();
      adapter().fixed.push_back({attr.name, attr.choices[static_cast<size_t>(choice)]});
      const bool sums = std::ranges::any_of(turned, is_cleared);
      const std::string why = fmt::format("{} is added to {}{}", sums ? "What" : "Nothing", fmt::join(turned, ", "),
                                          sums ? " begins at 0" : "");
      return remark(fmt::format("{}, so {} ({}) must be {}.", why, attr.name, attr.meaning,
                                attr.choices[static_cast<size_t>(choice)]));
    }
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}), on which it depends whether {} is added to: `fix` must say which of {} the kernel does",
                    attr.name, attr.meaning, fmt::join(turned, ", "), fmt::join(attr.choices, ", ")));
  }

  // Fixes the choice that was given for an attribute, a guess.
  bool choose_one(const AttrSpec& attr) {
    const auto chosen = taken_.chosen.find(attr.name);
    if (chosen == taken_.chosen.end()) {
      inferred_.open_attrs.push_back(attr.name);
      return false;
    }
    adapter().fixed.push_back({attr.name, chosen->second});
    inferred_.guesses.push_back(fmt::format("{} is {}", attr.name, chosen->second));
    return true;
  }

  bool is_number(const AttrSpec& attr) const {
    const std::vector<Binding> bindings = bindings_of(contract_);
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
      return binding.kind == Binding::attribute && binding.name == attr.name;
    });
  }

  // The numbers that may stand in the place of an attribute whose choices are all small, as 1e-8f in that of an eps.
  std::set<std::string> another_small_number(const AttrSpec& attr) const {
    constexpr double kSmall = 0.01;
    std::set<std::string> numbers;
    const bool is_small = std::ranges::all_of(
        attr.choices, [](const std::string& choice) { return std::fabs(number_of(choice).value_or(1)) < kSmall; });
    if (!is_small) return numbers;
    for (const WrittenNumber& each : taken_.written) {
      const std::optional<double> number = number_of(each.text);
      const std::string text = each.text.substr(0, each.text.find_last_not_of("fF") + 1);
      if (number && *number > 0 && *number < kSmall && admits(attr, text)) numbers.insert(text);
    }
    return numbers;
  }

  // An optional number is the one that the kernel's text adds to something, as logf(p + 1e-8f) does, where the op's
  // other choices admit it.
  bool require_added_number(const AttrSpec& attr) {
    std::set<std::string> added;
    for (const std::string& number : another_small_number(attr))
      for (const WrittenNumber& each : taken_.written)
        if (each.is_added && number_of(each.text) == number_of(number)) added.insert(number);
    if (added.size() != 1) return false;
    Case c = probe(contract_);
    for (const Fixed& fixed : adapter().fixed)
      if (std::ranges::count(contract_.attrs, fixed.name, &AttrSpec::name)) c.set(fixed.name, fixed.value);
    c.set(attr.name, *added.begin());
    if (contract_.constraint && contract_.constraint(c)) return false;
    adapter().fixed.push_back({attr.name, *added.begin()});
    remark(fmt::format("{} ({}) is {}, which {} adds.", attr.name, attr.meaning, *added.begin(), adapter().name));
    return true;
  }

  // The kernel's text must contain a number that is no argument.
  void require_number(const AttrSpec& attr) {
    std::set<std::string> written;
    for (const WrittenNumber& each : taken_.written)
      for (const std::string& choice : attr.choices)
        if (choice.find_first_of(".e") != std::string::npos && number_of(each.text) &&
            static_cast<float>(*number_of(each.text)) == static_cast<float>(number_of(choice).value_or(0)))
          written.insert(choice);
    if (written.empty()) written = another_small_number(attr);
    if (written.size() == 1) {
      adapter().fixed.push_back({attr.name, *written.begin()});
      return remark(fmt::format("No parameter takes {} ({}), and {} is written in the kernel.", attr.name, attr.meaning,
                                *written.begin()));
    }
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}): no parameter takes it, so `fix` must say which of {} the kernel computes with", attr.name,
                    attr.meaning, fmt::join(attr.choices, ", ")));
  }

  // The choices of an attribute by which the op has no input that it has by others, where no parameter takes those.
  Texts choices_without(const AttrSpec& attr) const {
    Texts without;
    bool is_there = false;
    Case c = probe(contract_);
    for (const std::string& choice : attr.choices) {
      c.set(attr.name, choice);
      const bool any = std::any_of(contract_.tensors.begin(), contract_.tensors.end(), [&](const TensorSpec& tensor) {
        return tensor.role == Role::input && tensor.absent && !taken_.names.contains(tensor.name) && !tensor.absent(c);
      });
      is_there = is_there || any;
      if (!any) without.push_back(choice);
    }
    return is_there ? without : Texts{};
  }

  void leave_out(const AttrSpec& attr, const std::string& choice) {
    adapter().fixed.push_back({attr.name, choice});
    remark(fmt::format("No parameter takes what {} ({}) is about, so it must be {}.", attr.name, attr.meaning, choice));
  }

  // The choices are different computations, of which the kernel does one.
  void require_choice(const AttrSpec& attr) {
    if (choose_one(attr)) return;
    ask(fmt::format("{} ({}): no parameter takes it, so `fix` must say which of {} the kernel computes", attr.name,
                    attr.meaning, fmt::join(attr.choices, ", ")));
  }

  const Contract& contract_;
  const Taken& taken_;
  Inferred& inferred_;
};

}  // namespace

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  const bool whole_text = end == text.data() + text.size() || *end == 'f' || *end == 'F';
  return end != text.data() && whole_text ? std::optional(value) : std::nullopt;
}

void infer_missing(const Contract& contract, const Taken& taken, Inferred& inferred) {
  Missing missing(contract, taken, inferred);
  for (const TensorSpec& tensor : contract.tensors) missing.tensor(tensor);
  for (const DimSpec& dim : contract.dims) missing.dim(dim);
  for (const AttrSpec& attr : contract.attrs) missing.attribute(attr);
}

}  // namespace assay
