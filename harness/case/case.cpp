// The grammar of case lines: op/variant dtype key=value…, words separated by blanks.
#include "harness/case/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/base/check.h"

namespace assay {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string_view> words;
  for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

// "3" or "x:3".
std::optional<Offset> offset_from(std::string_view value) {
  const size_t colon = value.find(':');
  const bool named = colon != std::string_view::npos;
  if (named && colon == 0) return std::nullopt;
  const auto elements = number<int64_t>(named ? value.substr(colon + 1) : value);
  if (!elements || *elements < 1 || *elements > kOffsetMax) return std::nullopt;
  return Offset{*elements, std::string(named ? value.substr(0, colon) : std::string_view{})};
}

// "mlp:fused_tile" or several with commas between; nothing where that is not what `value` is.
std::optional<std::vector<StepChoice>> steps_from(std::string_view value) {
  std::vector<StepChoice> steps;
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    const std::string_view word = value.substr(begin, end - begin);
    const size_t colon = word.find(':');
    if (colon == 0 || colon == std::string_view::npos || colon + 1 == word.size()) return std::nullopt;
    steps.push_back({std::string(word.substr(0, colon)), std::string(word.substr(colon + 1))});
    for (size_t i = 0; i + 1 < steps.size(); ++i)
      if (steps[i].step == steps.back().step) return std::nullopt;
    begin = end + 1;
  }
  return steps;
}

constexpr std::string_view kExample = "write it as 'op/variant dtype dim=1 … fill=normal seed=0 schedule=0'";

std::string hint_for(std::string_view key) {
  if (key == "offset")
    return fmt::format(
        "offset takes a number of elements from 1 to {}, as in offset=3, or a tensor and such a number, "
        "as in offset=x:3",
        kOffsetMax);
  if (key == "steps")
    return "steps takes steps of a composite, each once, and the variants that they run, as in "
           "steps=mlp:fused_tile,norm:row";
  return "seed, schedule, nonzero, block and grid take whole numbers, the last two from 1";
}

// Sets the field that `key` names; false when `value` does not fit it.
bool set_field(Case& c, std::string_view key, std::string_view value) {
  const auto assign = [](auto& field, auto parsed) {
    if (parsed) field = *parsed;
    return parsed.has_value();
  };
  if (key == "fill") return c.fill = value, !value.empty();
  if (key == "seed") return assign(c.seed, number<uint64_t>(value));
  if (key == "schedule") return assign(c.schedule, number<uint64_t>(value));
  if (key == "nonzero") return assign(c.nonzero, number<int64_t>(value)) && *c.nonzero >= 0;
  if (key == "block") return assign(c.block, number<int>(value)) && *c.block >= 1;
  if (key == "grid") return assign(c.grid, number<int>(value)) && *c.grid >= 1;
  if (key == "offset") return (c.offset = offset_from(value)).has_value();
  if (key == "steps") return assign(c.steps, steps_from(value));
  if (value.empty()) return false;
  c.params.emplace_back(std::string(key), std::string(value));
  return true;
}

}  // namespace

void Param::set(std::string text) {
  text_ = std::move(text);
  integer_ = number<int64_t>(text_);
  real_ = number<double>(text_);
}

const std::string* Case::find(std::string_view name) const {
  for (const Param& param : params)
    if (param.name() == name) return &param.text();
  return nullptr;
}

const Param& Case::param(std::string_view name) const {
  const auto found = std::find_if(params.begin(), params.end(), [&](const Param& each) { return each.name() == name; });
  ASSAY_CHECK(found != params.end(), "'" + print(*this) + "' has no '" + std::string(name) + "'");
  return *found;
}

int64_t Case::dim(std::string_view name) const {
  const auto value = param(name).integer();
  ASSAY_CHECK(value, "'" + std::string(name) + "' is no integer in '" + print(*this) + "'");
  return *value;
}

double Case::real(std::string_view name) const {
  const auto value = param(name).real();
  ASSAY_CHECK(value, "'" + std::string(name) + "' is no number in '" + print(*this) + "'");
  return *value;
}

void Case::set(std::string_view name, std::string value) {
  for (Param& param : params)
    if (param.name() == name) return param.set(std::move(value));
  params.emplace_back(std::string(name), std::move(value));
}

std::string print(const Case& c) {
  std::string line = fmt::format("{} {}", c.id(), name(c.dtype));
  for (const Param& param : c.params) line += fmt::format(" {}={}", param.name(), param.text());
  line += fmt::format(" fill={} seed={}", c.fill, c.seed);
  if (c.nonzero) line += fmt::format(" nonzero={}", *c.nonzero);
  if (c.block) line += fmt::format(" block={}", *c.block);
  if (c.grid) line += fmt::format(" grid={}", *c.grid);
  if (c.offset)
    line += fmt::format(" offset={}{}{}", c.offset->tensor, c.offset->tensor.empty() ? "" : ":", c.offset->elements);
  for (size_t i = 0; i < c.steps.size(); ++i)
    line += fmt::format("{}{}:{}", i == 0 ? " steps=" : ",", c.steps[i].step, c.steps[i].variant);
  return line + fmt::format(" schedule={}", c.schedule);
}

Result<Case> parse_case(std::string_view line) {
  constexpr size_t kLongest = 64 << 10;
  if (line.size() > kLongest)
    return fail(fmt::format("a case line of {} characters, which begins '{}…'", line.size(), line.substr(0, 60)),
                fmt::format("it has {} at most", kLongest));
  const auto words = words_of(line);
  if (words.size() < 2)
    return tl::unexpected(
        error_at(line, words.empty() ? line : words[0], "a case line needs an op and a dtype", std::string(kExample)));
  Case c;
  const size_t slash = words[0].find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == words[0].size())
    return tl::unexpected(
        error_at(line, words[0], "expected op/variant", "name the variant too ('assay list variants' prints them)"));
  c.op = words[0].substr(0, slash);
  c.variant = words[0].substr(slash + 1);
  const auto dtype = dtype_from(words[1]);
  if (!dtype) return tl::unexpected(error_at(line, words[1], "unknown dtype", "use f32, bf16 or f16"));
  c.dtype = *dtype;
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return tl::unexpected(error_at(line, words[i], "expected key=value", std::string(kExample)));
    const std::string_view key = words[i].substr(0, equals);
    for (size_t j = 2; j < i; ++j)
      if (words[j].substr(0, equals + 1) == words[i].substr(0, equals + 1))
        return tl::unexpected(error_at(line, words[i], fmt::format("'{}' is given twice", key), "remove one of them"));
    if (!set_field(c, key, words[i].substr(equals + 1)))
      return tl::unexpected(error_at(line, words[i], fmt::format("'{}' has no usable value", key), hint_for(key)));
  }
  return c;
}

Error error_at(std::string_view line, std::string_view word, std::string what, std::string hint) {
  const auto offset = static_cast<size_t>(word.data() - line.data());
  return {fmt::format("case line, column {}: {}: {}>>{}<<{}", offset + 1, what, line.substr(0, offset), word,
                      line.substr(offset + word.size())),
          std::move(hint)};
}

std::string_view word_of(std::string_view line, std::string_view key) {
  for (const std::string_view word : words_of(line))
    if (word.substr(0, key.size()) == key && word.substr(key.size(), 1) == "=") return word;
  return line;
}

}  // namespace assay
