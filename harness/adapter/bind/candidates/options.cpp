// The types, names and the body's use of a parameter say what it may take.
#include "harness/adapter/bind/candidates/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/op/changed_values.h"

namespace assay {
namespace {

constexpr const char* kOneForAll = "1.5";  // in every element of an input that a kernel takes as one number

Binding value(const std::string& expression, const std::string& name = "") {
  Binding binding;
  binding.kind = Binding::value;
  binding.name = name.empty() ? expression : name;
  binding.expression = expression;
  return binding;
}

Binding size(const std::string& expression) { return {Binding::dim, expression, {}, expression, nullptr, nullptr}; }

// A number for several dims together, as n of n = rows * cols.
std::vector<Binding> products(const Contract& contract) {
  std::vector<Binding> all;
  std::set<std::string> seen;
  for (const TensorSpec& tensor : contract.tensors) {
    if (tensor.shape.size() < 2) continue;
    const std::string text = fmt::format("{}", fmt::join(tensor.shape, " * "));
    if (seen.insert(text).second) all.push_back(size(text));
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
  for (const TensorSpec& tensor : contract.tensors) {
    const ShapeText shape = tensor.shape_by ? tensor.shape_by(probe(contract)) : tensor.shape;
    for (size_t first = 1; first < shape.size(); ++first)
      all.insert(fmt::format("{}", fmt::join(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end(), " * ")));
  }
  return {all.begin(), all.end()};
}

// The elements of one that a pointer points to.
int width_of(const std::string& type) {
  if (type == "float4") return 4;
  return is_one_of(type, {"float2", "half2", "__half2", "nv_bfloat162", "__nv_bfloat162"}) ? 2 : 1;
}

// "a::b" of "const a::b &"
std::string value_type(const Parameter& parameter) {
  std::string type = parameter.type.substr(0, parameter.type.find('&'));
  while (type.ends_with(' ')) type.pop_back();
  return type.starts_with("const ") ? type.substr(6) : type;
}

bool is_real(const KernelSource& kernel, const Parameter& parameter) {
  const ElementType type = element_of_pointer(kernel, parameter);
  return type.kind == ElementKind::real || type.kind == ElementKind::template_parameter ||
         (type.kind == ElementKind::dtype && is_float(*type.dtype));
}

class Options {
 public:
  Options(const KernelSource& kernel, const Contract& contract, Trust trust)
      : kernel_(kernel),
        contract_(contract),
        uses_(kernel.uses),
        trust_(trust),
        given_(match_parameters(kernel, contract)) {
    for (const auto& [count, pointer] : counts_of_elements(kernel)) {
      const auto indexed = std::ranges::find(kernel.parameters, pointer, &Parameter::name);
      if (may_have_rows(pointer)) counts_of_elements_[count] = width_of(indexed->type);
    }
    const auto is_taken = [&](const TensorSpec& tensor) {
      return std::ranges::any_of(given_,
                                 [&](const Match& match) { return match.binding && match.binding->spec == &tensor; });
    };
    knows_no_rows_ = std::ranges::count_if(kernel.parameters, is_whole_number) == 1 && !is_elementwise(contract) &&
                     std::ranges::all_of(contract.tensors, [](const auto& each) { return each.parts.empty(); });
    for (const DimSpec& dim : contract.dims)
      if (is_of_absent_tensors(contract, dim.name, is_taken)) untaken_.insert(dim.name);
  }

  std::vector<std::vector<Option>> all() const {
    std::vector<Match> given = given_;
    std::set<std::string> taken;
    for (Match& each : given)
      if (each.binding && untaken_.contains(each.binding->name)) each = {};
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i].binding && given[i].by_own_name && !is_hint(kernel_.parameters[i]) &&
          !counts_with_padding(kernel_.parameters[i].name))
        taken.insert(given[i].binding->name);
    std::vector<std::vector<Option>> each;
    for (size_t i = 0; i < given.size(); ++i) {
      each.push_back(options(i, given[i], taken));
      std::stable_sort(each.back().begin(), each.back().end(),
                       [](const Option& a, const Option& b) { return a.cost < b.cost; });
    }
    return each;
  }

 private:
  std::vector<Option> options(size_t i, const Match& given, const std::set<std::string>& taken) const {
    const Parameter& parameter = kernel_.parameters[i];
    if (given.binding && given.by_own_name && !is_hint(parameter) && use_fits(uses_, parameter, *given.binding)) {
      std::vector<Option> own = {{converted(kernel_, parameter, *given.binding).value_or(*given.binding), settled, 0,
                                  false, counts_with_padding(parameter.name)}};
      copied(parameter, bindings_of(contract_), alike, own);
      return own;
    }
    if (const std::string handle = handle_argument(parameter); !handle.empty())
      return {{value(handle), settled, 0, true}};
    // A context's length is called so, too, by kernels that ask for their block's.
    const bool is_block = is_block_size(parameter), asks_for_block = kernel_.facts.uses("blockDim");
    if (is_block && !asks_for_block) return {{value("block"), settled, 0, true}};
    if (kernel_.chosen_by.contains(parameter.name)) {
      std::vector<Option> numbers;
      for (const std::string& number : kernel_.literals.at(parameter.name))
        numbers.push_back({value(number), settled, 0, true});
      return numbers;
    }
    std::vector<Option> all;
    std::vector<Binding> bindings = bindings_of(contract_);
    for (Binding& each : bindings) each = converted(kernel_, parameter, each).value_or(each);
    if (!parameter.is_pointer && !is_whole_number(parameter) && !is_real(kernel_, parameter))
      return {{value(value_type(parameter) + "()"), alike, bindings.size(), true}};  // of a class or enum: as if absent
    for (size_t place = 0; place < bindings.size(); ++place) {
      const Binding& binding = bindings[place];
      const bool fits =
          (binding.converted || type_fits(kernel_, parameter, binding)) && use_fits(uses_, parameter, binding);
      const bool is_alike = is_called_like(parameter.name, binding);
      if (fits)
        for (Binding& part : parts_of(binding)) {
          const int cost = is_called_like(parameter.name, part) ? +alike : another + alike;
          all.push_back({std::move(part), cost, place});
        }
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
      if (dim && is_batch_of_others(parameter, *dim) && !is_alike) continue;
      const bool is_settled = given.binding && given.binding->name == binding.name;
      const bool is_batch = dim && counts_batches(parameter.name);  // and each row is one
      if (binding.kind == Binding::attribute && !is_alike && !is_real(kernel_, parameter)) continue;
      const int cost = untaken_.contains(binding.name)                                       ? number
                       : is_settled                                                          ? settled
                       : is_alike                                                            ? alike
                       : is_batch && (binding.name == rows_of(contract_) || dim->repeats)    ? alike
                       : binding.kind == Binding::attribute                                  ? number
                       : is_hint(parameter) && dim                                           ? split
                       : parameter.name.size() > 1 && is_row_length(contract_, binding.name) ? split
                                                                                             : another;
      all.push_back({binding, cost, place});
      if (binding.kind == Binding::dim) all.push_back({binding, cost + again, place, true});
    }
    for (Option& option : all)
      option.distance = option.binding.kind == Binding::dim && counts_with_padding(parameter.name);
    in_place(parameter, all);
    copied(parameter, bindings, settled, all);
    added_to(parameter, all);
    for (Option& option : all)  // reading what nothing has written is unlikely
      if (option.binding.spec && option.binding.in_place_of.empty() && !option.binding.zeroed &&
          is_read_and_written(parameter))
        option.cost += split;
    if (is_block) all.push_back({value("block"), alike, bindings.size(), true});
    if (parameter.type == "bool" && !parameter.is_pointer)
      flags(parameter, bindings.size(), all);
    else
      others(parameter, bindings.size(), all);
    return all;
  }

  // Whether a parameter counts batches, where the op counts rows and `dim` is something else.
  bool is_batch_of_others(const Parameter& parameter, const DimSpec& dim) const {
    const std::string rows = rows_of(contract_);
    return counts_batches(parameter.name) && !rows.empty() && dim.name != rows && !dim.repeats;
  }

  // Whether a pointer may be bound to a tensor of two axes and more, whose elements no dim counts.
  bool may_have_rows(const std::string& pointer) const {
    for (size_t i = 0; i < given_.size(); ++i)
      if (kernel_.parameters[i].name == pointer && given_[i].binding && given_[i].binding->spec)
        return given_[i].binding->spec->shape.size() != 1 || given_[i].binding->spec->shape_by;
    return std::ranges::any_of(kernel_.parameters, [&](const Parameter& parameter) {
      return parameter.name == pointer && std::ranges::any_of(bindings_of(contract_), [&](const Binding& binding) {
               return binding.spec && (binding.spec->shape.size() > 1 || binding.spec->shape_by) &&
                      (type_fits(kernel_, parameter, binding) || converted(kernel_, parameter, binding)) &&
                      use_fits(uses_, parameter, binding);
             });
    });
  }

  // A name that says less than the indices do: m, n and p are whatever they are used for; and A may be our B.
  bool is_hint(const Parameter& parameter) const {
    const bool is_letter = plain_name(parameter.name).size() == 1;
    return is_letter && (trust_ == Trust::letters || (trust_ == Trust::indices && is_whole_number(parameter)));
  }

  // An output where its input was is what a pointer with that input's name takes, if it is read and written.
  void in_place(const Parameter& parameter, std::vector<Option>& all) const {
    const auto use = uses_.find(parameter.name);
    if (use == uses_.end() || !use->second.read || !use->second.written) return;
    for (const Binding& input : bindings_of(contract_)) {
      if (likeness(parameter.name, input) == none) continue;
      for (Option& option : all)
        if (!alias_of(contract_, option.binding.name, input.name).empty()) option.cost = std::min(option.cost, +alike);
    }
  }

  bool is_read_and_written(const Parameter& parameter) const {
    const auto use = uses_.find(parameter.name);
    return use != uses_.end() && use->second.read && use->second.written && !use->second.added_to;
  }

  // A pointer that is read and written holds an input before the launch, where the op has one of that shape.
  void copied(const Parameter& parameter, const std::vector<Binding>& bindings, int more,
              std::vector<Option>& all) const {
    if (!is_read_and_written(parameter)) return;
    const std::vector<Binding> inputs = with_parts(bindings);
    const size_t count = all.size();
    for (size_t i = 0; i < count; ++i)
      for (const Binding& input : inputs) {
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
  void added_to(const Parameter& parameter, std::vector<Option>& all) const {
    if (!is_read_and_written(parameter)) return;
    const bool is_called_input = std::ranges::any_of(bindings_of(contract_), [&](const Binding& each) {
      return each.spec && each.spec->role == Role::input && is_called_like(parameter.name, each);
    });
    const size_t count = all.size();
    for (size_t i = 0; i < count; ++i) {
      if (!all[i].binding.spec || all[i].binding.spec->role != Role::output || !all[i].binding.in_place_of.empty())
        continue;
      Option one = all[i];
      one.binding.zeroed = true;
      one.cost += is_called_input ? +number : +alike;
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

  void others(const Parameter& parameter, size_t place, std::vector<Option>& all) const {
    const auto use = uses_.find(parameter.name);
    if (parameter.is_pointer) {
      const bool can_be_null = use == uses_.end() || !use->second.indexed || use->second.written ||
                               use->second.tested || use->second.passed;  // a switch may keep it from writing
      if (points_to_pointers(parameter) && !can_be_null) return;
      const bool read_only = parameter.is_const || (use != uses_.end() && !use->second.written);
      const int less = all.empty() ? number - split : 0;  // nothing of the op fits it, so one of these does
      if (can_be_null) all.push_back({value("nullptr"), (read_only ? number : again) - less, place, true});
      // It holds 0. Positions and indices that are read are none: with zeros most of a kernel would not be seen.
      const ElementType type = element_of_pointer(kernel_, parameter);
      const bool is_whole = type.kind == ElementKind::whole || (type.dtype && !is_float(*type.dtype));
      if (!read_only || !is_whole)
        all.push_back({value("workspace"), number - less + (read_only ? +another : 0), place, read_only});
      return;
    }
    const auto counted = counts_of_elements_.find(parameter.name);
    const bool compared = counted != counts_of_elements_.end();
    if (std::any_of(all.begin(), all.end(), [](const Option& o) { return o.binding.kind == Binding::dim; })) {
      for (const Binding& product : products(contract_)) {
        if (!compared && counts_batches(parameter.name)) continue;  // of what the other numbers count
        if (knows_no_rows_) continue;
        if (compared && counted->second > 1) {
          Binding vectors = size(fmt::format("({}) / {}", product.expression, counted->second));
          vectors.whole = fmt::format("({}) % {} == 0", product.expression, counted->second);
          all.push_back({vectors, settled, place, true});
          continue;
        }
        all.push_back({product,
                       compared                          ? settled
                       : counts_elements(parameter.name) ? counts_all
                                                         : again,
                       place, true});
      }
      for (const std::string& extent : compound_extents(contract_)) all.push_back({size(extent), another, place, true});
    }
    if (compared)  // with an index of elements: no dim is one of these counts, but where the others are 1
      for (Option& option : all)
        if (option.binding.kind == Binding::dim && option.cost == settled && option.place < place)
          option.cost = counts_all;
    // One of two counts whose product is a dim: batch and seq_len, where the op counts rows.
    const bool counts = std::any_of(all.begin(), all.end(), [&](const Option& o) {
      return o.binding.kind == Binding::dim && likeness(parameter.name, o.binding) != none;
    });
    // A parameter that has the name of a dim itself is no 1 and no 0: the op would be another one, and a bug in it
    // unseen.
    const bool is_dim = std::ranges::any_of(all, [&](const Option& o) {
      return o.binding.kind == Binding::dim && likeness(parameter.name, o.binding) >= own;
    });
    const bool is_batch = !counts && counts_batches(parameter.name);
    const bool is_inner = parameter.name.find("stride") != std::string::npos;  // from one element of a row to the next
    if (const auto passed = kernel_.literals.find(parameter.name); passed != kernel_.literals.end())
      for (size_t n = 0; n < passed->second.size(); ++n)
        all.push_back({value(passed->second[n]),
                       counts && is_whole_number(parameter) ? number
                       : n == 0                             ? settled
                                                            : alike,
                       place, true});
    if (!is_dim) all.push_back({value("1"), is_batch || is_inner ? alike : counts ? split : number, place, true});
    const bool is_added = is_real(kernel_, parameter) && (parameter.name.find("bias") != std::string::npos ||
                                                          parameter.name.find("offset") != std::string::npos);
    if (!is_dim) all.push_back({value("0"), is_added ? alike : +again, place, true});
    const bool is_distance = parameter.name.find("stride") != std::string::npos || counts_with_padding(parameter.name);
    if (is_distance || (counts_model(parameter.name) && !counts && !is_dim))
      for (const std::string& distance : distances(contract_))
        if (is_distance || std::ranges::count(distance, '*') == 1)
          all.push_back({size(distance), is_distance ? +alike : +settled, place, true});
  }

  // A switch is no size: off, or on, unless it is one of the op's own, which both of its values are asked of.
  static void flags(const Parameter& parameter, size_t place, std::vector<Option>& all) {
    std::erase_if(all, [&](const Option& option) {
      return option.binding.kind != Binding::attribute || likeness(parameter.name, option.binding) == none;
    });
    if (!all.empty()) return;
    const std::string name = plain_name(parameter.name);
    const bool sets = std::ranges::any_of(std::array{"reset", "overwrite", "clear", "init"}, [&](const char* word) {
      return name.find(word) != std::string::npos;  // what is otherwise added to
    });
    all.push_back({value("false"), sets ? split : alike, place, true});
    all.push_back({value("true"), sets ? alike : split, place, true});
  }

  const KernelSource& kernel_;
  const Contract& contract_;
  const std::map<std::string, PointerUse>& uses_;
  const Trust trust_;
  const std::vector<Match> given_;                 // by names
  std::map<std::string, int> counts_of_elements_;  // and how many one has of what is counted
  bool knows_no_rows_ = false;                     // one number counts all elements, of an op that has rows
  std::set<std::string> untaken_;                  // sizes of tensors that the op may do without, and the kernel does
};

}  // namespace

std::vector<std::vector<Option>> options_of(const KernelSource& kernel, const Contract& contract, Trust trust) {
  return Options(kernel, contract, trust).all();
}

}  // namespace assay
