// Facts that follow from a contract: shapes, sizes, and whether a case belongs to it.
#include "harness/op/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/number.h"
#include "harness/op/earlier_lines.h"
#include "harness/op/huge.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

// The product of non-negative numbers; the largest number instead of an overflow, so that absurd dims stay comparable
// with a limit.
int64_t saturating_product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

int64_t count_of(const TensorSpec& spec, const Case& c) {
  int64_t count = 1;
  for (const int64_t extent : shape_of(spec, c)) count = saturating_product(count, extent);
  return count;
}

int64_t product(std::string_view expression, const Case& c);

// A number, a dim, or an attribute that is one or names a product.
int64_t factor_of(std::string_view word, const Case& c) {
  if (const auto number = number_in<int64_t>(word)) return *number;
  const Param& param = c.param(word);
  return param.integer() ? *param.integer() : product(param.text(), c);
}

int64_t product(std::string_view expression, const Case& c) {
  int64_t result = 1;
  while (!expression.empty()) {
    const std::string_view factor = expression.substr(0, expression.find('*'));
    expression.remove_prefix(std::min(expression.size(), factor.size() + 1));
    result = saturating_product(result, factor_of(factor, c));
  }
  return result;
}

std::vector<int64_t> extents(const ShapeText& shape, const Case& c) {
  std::vector<int64_t> all;
  for (const std::string& expression : shape) all.push_back(product(expression, c));
  return all;
}

std::vector<std::string> names_of(const Contract& contract) {
  std::vector<std::string> names;
  for (const DimSpec& dim : contract.dims) names.push_back(dim.name);
  for (const AttrSpec& attr : contract.attrs) names.push_back(attr.name);
  return names;
}

std::optional<Error> wrong_dim(const DimSpec& dim, const Case& c, std::string_view line) {
  const auto number = c.param(dim.name).integer();
  if (number && admits(dim, *number)) return std::nullopt;
  return error_at(
      line, word_of(line, dim.name), fmt::format("'{}' is outside its domain", dim.name),
      dim.only.empty()
          ? fmt::format("{} ({}) takes a whole number from {} to {}", dim.name, dim.meaning, dim.min, dim.max)
          : fmt::format("{} ({}) is one of {}", dim.name, dim.meaning, fmt::join(dim.only, ", ")));
}

std::optional<Error> wrong_attr(const AttrSpec& attr, const std::string& value, std::string_view line) {
  if (admits(attr, value)) return std::nullopt;
  return error_at(line, word_of(line, attr.name), fmt::format("unknown value of '{}'", attr.name),
                  fmt::format("{} ({}) is {}", attr.name, attr.meaning, admitted_by(attr)));
}

std::optional<Error> wrong_fill(const Contract& contract, const Case& c, std::string_view line) {
  std::vector<std::string> admitted;
  for (const Fill& fill : fills())
    if (admits(contract, fill)) admitted.push_back(fill.name);
  if (std::ranges::find(admitted, c.fill) != admitted.end()) return std::nullopt;
  return error_at(line, word_of(line, "fill"),
                  find_fill(c.fill) ? fmt::format("{} does not admit this fill", contract.name) : "unknown fill",
                  fmt::format("use one of {}", fmt::join(admitted, ", ")));
}

std::optional<Error> wrong_offset(const Contract& contract, const Case& c, std::string_view line) {
  if (!c.offset || c.offset->tensor.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const TensorSpec& spec : contract.tensors) names.push_back(spec.name);
  if (std::ranges::find(names, c.offset->tensor) != names.end()) return std::nullopt;
  return error_at(line, word_of(line, "offset"), fmt::format("{} has no tensor '{}'", contract.name, c.offset->tensor),
                  fmt::format("offset is of one of {}, or without a name of all", fmt::join(names, ", ")));
}

std::optional<Error> wrong_steps(const Contract& contract, const Case& c, std::string_view line) {
  std::vector<std::string> names;
  for (const Step& step : contract.steps) names.push_back(step.name);
  for (const StepChoice& choice : c.steps)
    if (std::ranges::find(names, choice.step) == names.end())
      return error_at(line, word_of(line, "steps"), fmt::format("{} has no step '{}'", contract.name, choice.step),
                      names.empty() ? "it is no composite; leave out steps="
                                    : fmt::format("its steps are {}", fmt::join(names, ", ")));
  return std::nullopt;
}

std::optional<Error> wrong_dtype(const Contract& contract, const Case& c, std::string_view line) {
  if (std::ranges::find(contract.dtypes, c.dtype) != contract.dtypes.end()) return std::nullopt;
  std::vector<std::string_view> known;
  for (const DType dtype : contract.dtypes) known.push_back(name(dtype));
  return Error{fmt::format("case line: {} is not defined for {}: '{}'", contract.name, name(c.dtype), line),
               fmt::format("use one of {}", fmt::join(known, ", "))};
}

}  // namespace

int64_t nearest(const DimSpec& dim, int64_t size) {
  if (dim.only.empty()) return std::clamp(size, dim.min, dim.max);
  return *std::ranges::min_element(dim.only,
                                   [&](int64_t a, int64_t b) { return std::abs(a - size) < std::abs(b - size); });
}

bool admits(const DimSpec& dim, int64_t value) {
  return value >= dim.min && value <= dim.max &&
         (dim.only.empty() || std::ranges::find(dim.only, value) != dim.only.end());
}

namespace {

bool takes_any_number(const AttrSpec& attr) {
  const auto number = [](const std::string& choice) { return Param("", choice).real(); };
  return std::ranges::all_of(attr.choices, [&](const std::string& choice) { return number(choice).has_value(); }) &&
         std::ranges::any_of(attr.choices, [&](const std::string& choice) {
           return *number(choice) != std::nearbyint(*number(choice));
         });
}

}  // namespace

bool admits(const AttrSpec& attr, const std::string& value) {
  if (std::ranges::find(attr.choices, value) != attr.choices.end()) return true;
  const std::optional<double> number = Param("", value).real();
  return number && std::isfinite(*number) && takes_any_number(attr);
}

std::string admitted_by(const AttrSpec& attr) {
  return fmt::format("one of {}{}", fmt::join(attr.choices, ", "), takes_any_number(attr) ? ", or another number" : "");
}

bool admits(const Contract& contract, const Fill& fill) {
  const std::vector<std::string>& skipped = contract.skip_fills;
  return (contract.exponentials || !fill.for_exponentials) && (contract.admits_nan || !fill.has_nan) &&
         (contract.admits_infinity || !fill.has_infinity) && std::ranges::find(skipped, fill.name) == skipped.end();
}

std::function<bool(const Case& c)> absent_unless_listed(std::string attr, std::string word) {
  return [attr = std::move(attr), word = std::move(word)](const Case& c) {
    return ("," + c.text(attr) + ",").find("," + word + ",") == std::string::npos;
  };
}

std::vector<int64_t> shape_of(const TensorSpec& spec, const Case& c) {
  if (spec.absent && spec.absent(c)) return {0};
  if (spec.shape_by) return extents(spec.shape_by(c), c);
  return extents(spec.shape, c);
}

DType dtype_of(const TensorSpec& spec, const Case& c) {
  return spec.dtype_by ? spec.dtype_by(c) : spec.dtype.value_or(c.dtype);
}

Role role_of(const TensorSpec& spec, const Case& c) { return spec.role_by ? spec.role_by(c) : spec.role; }

Regions regions_of(const TensorSpec& spec, const Case& c) {
  if (!spec.regions || (spec.absent && spec.absent(c))) return {};
  return spec.regions(c);
}

std::vector<Alias> aliases_in(std::string_view choice) {
  std::vector<Alias> aliases;
  for (size_t begin = 0; begin < choice.size();) {
    const size_t end = std::min(choice.find(',', begin), choice.size());
    const std::string pair(choice.substr(begin, end - begin));
    const size_t colon = pair.find(':');
    if (colon != std::string::npos) aliases.push_back({pair.substr(0, colon), pair.substr(colon + 1)});
    begin = end + 1;
  }
  return aliases;
}

std::vector<Alias> aliases_of(const Case& c) {
  const std::string* const value = c.find(kAliasAttr);
  return value ? aliases_in(*value) : std::vector<Alias>();
}

size_t offset_bytes(const TensorSpec& spec, const Case& c) {
  const DType dtype = dtype_of(spec, c);
  const bool meant = c.offset && (c.offset->tensor.empty() || c.offset->tensor == spec.name);
  return meant && dtype != DType::u8 ? static_cast<size_t>(c.offset->elements) * size_of(dtype) : 0;
}

int64_t element_count(const Contract& contract, const Case& c) {
  int64_t total = 0;
  for (const TensorSpec& spec : contract.tensors) total = saturating_sum(total, count_of(spec, c));
  return total;
}

// Elements that are none of the op's. Where an input shares a written tensor's buffer, kept elements are not read. A
// huge case has millions of such runs, and the share of them that its base has.
static int64_t elements_left_alone(const Contract& contract, const TensorSpec& spec, const Case& c) {
  if (is_huge(contract, c))
    if (const auto base = base_of(contract, c)) {
      const auto part = static_cast<double>(elements_left_alone(contract, spec, *base)) /
                        static_cast<double>(std::max<int64_t>(1, count_of(spec, *base)));
      return static_cast<int64_t>(part * static_cast<double>(count_of(spec, c)));
    }
  int64_t count = regions_of(spec, c).count();
  for (const Alias& alias : aliases_of(c))
    for (const TensorSpec& written : contract.tensors)
      if (alias.input == spec.name && alias.written == written.name)
        count = std::max(count, regions_of(written, c).count());
  return count;
}

int64_t compulsory_bytes(const Contract& contract, const Case& c) {
  int64_t total = 0;
  for (const TensorSpec& spec : contract.tensors) {
    const auto element = static_cast<int64_t>(size_of(dtype_of(spec, c)));
    const Role role = role_of(spec, c);
    const bool both_ways = role == Role::accumulate || role == Role::inout;
    const int64_t own = count_of(spec, c) - elements_left_alone(contract, spec, c);
    total = saturating_sum(total, saturating_product(own, both_ways ? 2 * element : element));
  }
  return total;
}

Result<Case> conform(const Contract& contract, Case c, std::string_view line) {
  const auto names = names_of(contract);
  for (const Param& param : c.params)
    if (std::ranges::find(names, param.name()) == names.end())
      return tl::unexpected(error_at(line, word_of(line, param.name()),
                                     fmt::format("{} has no '{}'", contract.name, param.name()),
                                     fmt::format("it takes {}", fmt::join(names, ", "))));
  c = with_later_names(contract, std::move(c));
  std::vector<Param> canonical;
  for (const std::string& name : names) {
    const std::string* value = c.find(name);
    if (!value)
      return fail(fmt::format("case line: '{}' is missing: {}", name, line),
                  fmt::format("{} takes {}", contract.name, fmt::join(names, ", ")));
    canonical.emplace_back(name, *value);
  }
  c.params = std::move(canonical);
  for (const DimSpec& dim : contract.dims)
    if (auto error = wrong_dim(dim, c, line)) return tl::unexpected(*error);
  for (const AttrSpec& attr : contract.attrs)
    if (auto error = wrong_attr(attr, c.text(attr.name), line)) return tl::unexpected(*error);
  for (const DimSpec& dim : contract.dims) c.set(dim.name, std::to_string(c.dim(dim.name)));  // 007 is 7
  if (auto error = wrong_fill(contract, c, line)) return tl::unexpected(*error);
  if (auto error = wrong_offset(contract, c, line)) return tl::unexpected(*error);
  if (auto error = wrong_steps(contract, c, line)) return tl::unexpected(*error);
  if (auto error = wrong_dtype(contract, c, line)) return tl::unexpected(*error);
  if (contract.constraint)
    if (auto error = contract.constraint(c))
      return fail(fmt::format("case line: {}: '{}'", error->what, line), error->hint);
  if (element_count(contract, c) > kElementsMax)
    return fail(fmt::format("case line: its tensors have more than {} elements: '{}'", kElementsMax, line),
                "make a dim smaller");
  return c;
}

}  // namespace assay
