// Matching by names and types, and by elimination where a name alone is ambiguous.
#include "harness/adapter/bind/match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <ranges>
#include <set>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

bool contains(const Texts& all, std::string_view text) { return std::find(all.begin(), all.end(), text) != all.end(); }

// The dtype of a type's elements, by its usual spellings.
std::optional<DType> dtype_of_spelling(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, DType>, 35> kSpellings{{
      {"float", DType::f32},
      {"float2", DType::f32},
      {"float4", DType::f32},
      {"half", DType::f16},
      {"half2", DType::f16},
      {"__half", DType::f16},
      {"__half2", DType::f16},
      {"at::Half", DType::f16},
      {"c10::Half", DType::f16},
      {"nv_bfloat16", DType::bf16},
      {"__nv_bfloat16", DType::bf16},
      {"nv_bfloat162", DType::bf16},
      {"bfloat16", DType::bf16},
      {"__nv_bfloat162", DType::bf16},
      {"at::BFloat16", DType::bf16},
      {"bf16", DType::bf16},
      {"c10::BFloat16", DType::bf16},
      {"unsigned", DType::u32},
      {"unsigned int", DType::u32},
      {"uint32_t", DType::u32},
      {"uint", DType::u32},
      {"int", DType::u32},
      {"int32_t", DType::u32},
      {"std::uint32_t", DType::u32},
      {"u32", DType::u32},
      {"std::int32_t", DType::u32},
      {"unsigned long long", DType::u64},
      {"unsigned long long int", DType::u64},
      {"uint64_t", DType::u64},
      {"std::uint64_t", DType::u64},
      {"unsigned char", DType::u8},
      {"uint8_t", DType::u8},
      {"bool", DType::u8},
      {"int8_t", DType::u8},
      {"std::uint8_t", DType::u8},
  }};
  for (const auto& [spelling, dtype] : kSpellings)
    if (spelling == type) return dtype;
  return std::nullopt;
}

bool is_whole_type(const std::string& type) {
  static const Texts kSpellings = {"int",      "unsigned",           "unsigned int", "long", "unsigned long",
                                   "long int", "long long",          "short",        "uint", "long long int",
                                   "ulong",    "unsigned long long", "bool"};
  return contains(kSpellings, type) || type.ends_with("int32_t") || type.ends_with("int64_t") ||
         type.ends_with("size_t") || type.ends_with("ptrdiff_t") || type.ends_with("index_t");
}

bool is_type_parameter(const KernelSource& kernel, const std::string& type) {
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i)
    if (kernel.template_parameters[i].name == type) return kernel.template_parameters[i].is_type();
  return false;
}

template <class Number>
bool all_are(const Texts& choices, Number number) {
  return std::all_of(choices.begin(), choices.end(), [&](const std::string& choice) {
    char* end = nullptr;
    number(choice.c_str(), &end);
    return end != choice.c_str() && *end == '\0';
  });
}
bool all_whole(const Texts& choices) {
  return all_are(choices, [](const char* text, char** end) { return std::strtoll(text, end, 10); });
}
bool all_numbers(const Texts& choices) {
  return all_are(choices, [](const char* text, char** end) { return std::strtod(text, end); });
}

// Names that mean no more than "what goes in" and "what comes out".
bool means_input(const std::string& name) { return contains({"in", "inp", "input", "x", "src"}, plain_name(name)); }
bool means_output(const std::string& name) {
  return contains({"out", "output", "y", "dst", "result", "res"}, plain_name(name));
}

class Matcher {
 public:
  Matcher(const KernelSource& kernel, const Contract& contract)
      : kernel_(kernel), bindings_(bindings_of(contract)), uses_(kernel.uses), matches_(kernel.parameters.size()) {}

  std::vector<Match> match() {
    for (const Likeness at_least : {exact, own, usual})
      while (settle(at_least)) {
      }
    take_the_only_one(Role::input, means_input);
    take_the_only_one(Role::output, means_output);
    for (size_t i = 0; i < matches_.size(); ++i)
      if (!matches_[i].binding) matches_[i].doubt = doubt(i);
    return std::move(matches_);
  }

 private:
  // The bindings that no parameter has taken yet and that this one's name and type admit.
  std::vector<size_t> candidates(size_t parameter, Likeness at_least) const {
    const Parameter& p = kernel_.parameters[parameter];
    std::vector<size_t> all;
    for (size_t i = 0; i < bindings_.size(); ++i)
      if (!taken_.contains(i) && likeness(p.name, bindings_[i]) >= at_least && type_fits(kernel_, p, bindings_[i]) &&
          use_fits(uses_, p, bindings_[i]))
        all.push_back(i);
    return all;
  }

  // Binds one parameter that has a single candidate, unless another parameter has only the same one. True when there
  // was such a parameter.
  bool settle(Likeness at_least) {
    for (size_t i = 0; i < matches_.size(); ++i) {
      const std::vector<size_t> own_candidates = candidates(i, at_least);
      if (matches_[i].binding || own_candidates.size() != 1) continue;
      bool contested = false;
      for (size_t other = 0; other < matches_.size(); ++other)
        contested |= other != i && !matches_[other].binding && candidates(other, at_least) == own_candidates;
      if (contested) continue;
      take(i, own_candidates[0]);
      return true;
    }
    return false;
  }

  void take(size_t parameter, size_t binding) {
    matches_[parameter].binding = bindings_[binding];
    matches_[parameter].by_own_name = likeness(kernel_.parameters[parameter].name, bindings_[binding]) >= own;
    taken_.insert(binding);
  }

  // "out" is the output when the contract has one output left, the kernel one parameter of such a name, and no other
  // parameter might be it.
  void take_the_only_one(Role role, bool (*is_named_so)(const std::string&)) {
    std::vector<size_t> parameters, tensors;
    for (size_t i = 0; i < matches_.size(); ++i)
      if (!matches_[i].binding && is_named_so(kernel_.parameters[i].name)) parameters.push_back(i);
    for (size_t i = 0; i < bindings_.size(); ++i) {
      const bool input = bindings_[i].spec && bindings_[i].spec->role == Role::input;
      if (bindings_[i].spec && !taken_.contains(i) && input == (role == Role::input)) tensors.push_back(i);
    }
    if (parameters.size() != 1 || tensors.size() != 1) return;
    for (size_t other = 0; other < matches_.size(); ++other) {
      const std::vector<size_t> wanted = matches_[other].binding ? std::vector<size_t>{} : candidates(other, usual);
      if (other != parameters[0] && std::find(wanted.begin(), wanted.end(), tensors[0]) != wanted.end()) return;
    }
    const Parameter& parameter = kernel_.parameters[parameters[0]];
    if (type_fits(kernel_, parameter, bindings_[tensors[0]]) && use_fits(uses_, parameter, bindings_[tensors[0]]))
      take(parameters[0], tensors[0]);
  }

  std::string doubt(size_t parameter) const {
    const Parameter& p = kernel_.parameters[parameter];
    Texts possible, named_alike;
    for (const size_t i : candidates(parameter, usual)) possible.push_back(bindings_[i].name);
    for (const Binding& binding : bindings_)
      if (likeness(p.name, binding) != none) named_alike.push_back(binding.name);
    const std::string what = fmt::format("the {} '{}'",
                                         p.is_pointer                                                ? "pointer"
                                         : element_of_pointer(kernel_, p).kind == ElementKind::other ? "value"
                                                                                                     : "number",
                                         p.name);
    if (points_to_pointers(p)) return fmt::format("{}: it points to pointers, which cases do not have", what);
    if (p.name.empty()) return fmt::format("parameter {}: it has no name", parameter + 1);
    if (possible.size() > 1) return fmt::format("{}: it could be {}", what, fmt::join(possible, " or "));
    if (possible.size() == 1) return fmt::format("{}: another parameter could be {} as well", what, possible[0]);
    if (!named_alike.empty())
      return fmt::format("{}: its name fits {}, its type {}{}{} does not, or another parameter is it", what,
                         fmt::join(named_alike, " or "), p.is_const ? "const " : "", p.type, p.is_pointer ? "*" : "");
    return fmt::format("{}: the op has nothing of that name", what);
  }

  const KernelSource& kernel_;
  std::vector<Binding> bindings_;
  std::map<std::string, PointerUse> uses_;
  std::vector<Match> matches_;
  std::set<size_t> taken_;
};

}  // namespace

ElementType element_of_pointer(const KernelSource& kernel, const Parameter& parameter) {
  if (const auto dtype = dtype_of_spelling(parameter.type)) return {ElementKind::dtype, dtype};
  if (is_type_parameter(kernel, parameter.type)) return {ElementKind::template_parameter, {}};
  if (is_one_of(parameter.type, {"unsigned short", "short", "ushort", "uint16_t", "int16_t"}))
    return {ElementKind::bits, {}};
  if (is_whole_type(parameter.type)) return {ElementKind::whole, {}};
  if (parameter.type == "double") return {ElementKind::real, {}};
  return {};
}

std::string handle_argument(const Parameter& parameter) {
  if (parameter.type.starts_with("cudaStream")) return "nullptr";
  if (parameter.type == "assay_cublas") return "assay::adapter::cublas_handle()";
  if (parameter.type == "assay_cublas_lt") return "assay::adapter::cublas_lt_handle()";
  return "";
}

bool is_whole_number(const Parameter& parameter) { return !parameter.is_pointer && is_whole_type(parameter.type); }

std::vector<Binding> bindings_of(const Contract& contract) {
  std::vector<Binding> bindings;
  for (const TensorSpec& tensor : contract.tensors)
    bindings.push_back({Binding::tensor, tensor.name, tensor.aliases, tensor.name, &tensor, nullptr});
  for (const DimSpec& dim : contract.dims)
    bindings.push_back({Binding::dim, dim.name, dim.aliases, dim.name, nullptr, nullptr});
  for (const AttrSpec& attr : contract.attrs) {
    const std::string& number = attr.number.empty() ? attr.name : attr.number;
    if (!attr.number.empty() || all_numbers(attr.choices))
      bindings.push_back({Binding::attribute, attr.name, attr.aliases, number, nullptr, &attr.choices});
  }
  for (const NumberSpec& number : contract.numbers)
    bindings.push_back({Binding::attribute, number.name, number.aliases, number.expression, nullptr, nullptr});
  return bindings;
}

bool type_fits(const KernelSource& kernel, const Parameter& parameter, const Binding& binding) {
  if (parameter.is_pointer != (binding.kind == Binding::tensor)) return false;
  if (binding.kind == Binding::tensor) {
    if (points_to_pointers(parameter)) return false;
    if (parameter.is_const && binding.spec->role != Role::input) return false;
    const ElementType element = element_of_pointer(kernel, parameter);
    if (element.kind == ElementKind::whole) return binding.spec->dtype == DType::u64;
    if (element.kind == ElementKind::real) return false;
    if (element.kind == ElementKind::bits) return !binding.spec->dtype;
    if (element.kind != ElementKind::dtype) return true;
    if (binding.spec->dtype) return *binding.spec->dtype == *element.dtype;
    return is_float(*element.dtype);
  }
  const bool whole = is_whole_type(parameter.type);
  const bool real =
      parameter.type == "float" || parameter.type == "double" || is_type_parameter(kernel, parameter.type);
  if (binding.kind == Binding::dim) return whole || is_type_parameter(kernel, parameter.type);
  return binding.choices && all_whole(*binding.choices) ? whole : real;
}

bool is_of_ints(const Parameter& parameter, const Binding& binding) {
  return parameter.is_pointer && is_one_of(parameter.type, {"int", "int32_t"}) && binding.spec &&
         (!binding.spec->dtype || is_float(*binding.spec->dtype));
}

std::optional<Binding> converted(const KernelSource& kernel, const Parameter& parameter, const Binding& binding) {
  if (!parameter.is_pointer || !binding.spec) return std::nullopt;
  if (parameter.is_const && binding.spec->role != Role::input) return std::nullopt;
  const ElementType type = element_of_pointer(kernel, parameter);
  const bool is_long = type.kind == ElementKind::whole && binding.spec->dtype == DType::u32;
  const bool is_more_precise = type.dtype == DType::f32 && !binding.spec->dtype && !binding.spec->dtype_by &&
                               std::ranges::any_of(kernel.parameters, [&](const auto& other) {
                                 const auto dtype = element_of_pointer(kernel, other).dtype;
                                 return other.is_pointer && (dtype == DType::f16 || dtype == DType::bf16);
                               });
  const bool is_whole_in_float = type.dtype == DType::f32 && binding.spec->dtype == DType::u32 &&
                                 binding.spec->role == Role::input && kernel.facts.made_whole.contains(parameter.name);
  const bool is_double = parameter.type == "double" && (!binding.spec->dtype || is_float(*binding.spec->dtype));
  const bool is_int = is_of_ints(parameter, binding) && std::ranges::all_of(kernel.parameters, [](const auto& other) {
                        return !other.is_pointer || is_one_of(other.type, {"int", "int32_t"});
                      });
  if (!is_long && !is_more_precise && !is_whole_in_float && !is_double && !is_int) return std::nullopt;
  Binding copy = binding;
  copy.converted = true;
  copy.expression =
      fmt::format("converted<{}>({})", is_long || is_double || is_int ? parameter.type : "float", binding.name);
  return copy;
}

namespace {

// Whether uses show that a parameter is an output, or that it is none; nothing where they show neither.
enum class Shown { nothing, output, input };
Shown shown_role(const std::map<std::string, PointerUse>& uses, const std::string& parameter) {
  const auto found = uses.find(parameter);
  if (found == uses.end()) return Shown::nothing;
  if (found->second.written) return Shown::output;
  const bool another = std::any_of(uses.begin(), uses.end(), [](const auto& use) { return use.second.written; });
  return another && found->second.indexed && !found->second.passed ? Shown::input : Shown::nothing;
}

}  // namespace

bool use_fits(const std::map<std::string, PointerUse>& uses, const Parameter& parameter, const Binding& binding) {
  if (!binding.spec) return true;
  const auto is_one = [](const std::string& extent) { return extent == "1"; };
  const ShapeText& shape = binding.spec->shape;
  const auto use = uses.find(parameter.name);
  const bool one = !binding.spec->shape_by && !shape.empty() && std::all_of(shape.begin(), shape.end(), is_one);
  if (one && use != uses.end() && use->second.many) return false;
  const Shown shown = shown_role(uses, parameter.name);
  if (parameter.is_const && binding.spec->role == Role::input) return true;  // its type says so; writing to it is a bug
  return shown == Shown::nothing || (shown == Shown::input) == (binding.spec->role == Role::input);
}

std::vector<Match> match_parameters(const KernelSource& kernel, const Contract& contract) {
  return Matcher(kernel, contract).match();
}

bool turns_over(const Contract& contract) {
  const auto is_reverse = [&](const TensorSpec& read, const TensorSpec& written) {
    return read.role == Role::input && written.role != Role::input && read.shape.size() == 2 && !written.shape_by &&
           read.shape[0] != read.shape[1] && std::ranges::equal(read.shape, std::views::reverse(written.shape));
  };
  return std::ranges::any_of(contract.tensors, [&](const TensorSpec& read) {
    return std::ranges::any_of(contract.tensors, [&](const TensorSpec& written) { return is_reverse(read, written); });
  });
}

}  // namespace assay
