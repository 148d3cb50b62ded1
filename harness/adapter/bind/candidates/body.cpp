// Following a body's indices from its built-in variables, token by token.
#include "harness/adapter/bind/candidates/body.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/body_indices.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;
constexpr std::string_view kAxisNames = "xyz";
constexpr int64_t kStepMax = 256;  // elements: no tile is longer
constexpr int64_t kWidthMax = 8;   // elements of 16 bits in the widest vector

bool is_axis(const Tokens& tokens, size_t i, std::string_view builtin) {
  return token_is(tokens, i, builtin) && token_is(tokens, i + 1, ".") && i + 2 < tokens.size() &&
         kAxisNames.find(tokens[i + 2].text) != std::string_view::npos && tokens[i + 2].text.size() == 1;
}

bool is_builtin(const Tokens& tokens, size_t i) {
  return is_axis(tokens, i, "threadIdx") || is_axis(tokens, i, "blockIdx") || is_axis(tokens, i, "blockDim");
}

// The text with threadIdx.x in place of tid, which is defined so once and for all.
Tokens with_builtins(const Tokens& tokens) {
  std::map<std::string_view, Tokens> aliases;
  for (size_t i = 1; i + 4 < tokens.size(); ++i)
    if (token_is(tokens, i, "=") && tokens[i - 1].is_word() && is_builtin(tokens, i + 1) &&
        (token_is(tokens, i + 4, ";") || token_is(tokens, i + 4, ",")) &&
        !definition(tokens, tokens[i - 1].text).empty())
      aliases[tokens[i - 1].text] = {tokens[i + 1], tokens[i + 2], tokens[i + 3]};
  Tokens out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto alias = aliases.find(tokens[i].text);
    const bool is_use =
        alias != aliases.end() && !token_is(tokens, i + 1, "=") && !(i > 0 && token_is(tokens, i - 1, "."));
    if (is_use)
      out.insert(out.end(), alias->second.begin(), alias->second.end());
    else
      out.push_back(tokens[i]);
  }
  return out;
}

Tokens part(const Tokens& tokens, size_t begin, size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

// The bound that token i, perhaps times a number, plus another one, is compared with: (i + 3) < n, i * 4 + 3 < n + 3.
struct Compared {
  Tokens bound;
  std::optional<size_t> scale;  // the token of the number that it is multiplied by
};

Compared compared(const Tokens& tokens, size_t i) {
  Compared out;
  size_t at = i + 1;
  if (token_is(tokens, at, "*")) out.scale = at + 1, at += 2;
  const bool plus = token_is(tokens, at, "+") && !token_is(tokens, at + 1, "+");
  if (plus) at += 2;
  while (token_is(tokens, at, ")")) ++at;
  out.bound = compared_with(tokens, at - 1);
  if (plus && out.bound.size() > 2 && out.bound[out.bound.size() - 2].text == "+")
    out.bound.resize(out.bound.size() - 2);
  return out;
}

// n of i <= n, i > n and i < n - 1, which stand where a bug is at the last element.
Tokens compared_one_off(const Tokens& tokens, size_t i) {
  if (const Tokens bound = compared(tokens, i).bound;
      bound.size() == 3 && is_one_of(bound[1].text, {"-", "+"}) && bound[2].text == "1")
    return {bound[0]};
  const size_t at = token_is(tokens, i + 1, "<") && token_is(tokens, i + 2, "=") ? i + 3
                    : token_is(tokens, i + 1, ">")                               ? i + 2
                                                                                 : tokens.size();
  const bool is_whole = at + 1 < tokens.size() && is_one_of(tokens[at + 1].text, {")", "&", "|", ";", "?"});
  return is_whole ? Tokens{tokens[at]} : Tokens{};
}

bool mentions(const Tokens& tokens, size_t begin, size_t end, std::string_view builtin) {
  for (size_t i = begin; i < end; ++i)
    if (is_axis(tokens, i, builtin)) return true;
  return false;
}

}  // namespace

Body::Body(const CudaSource& source, const KernelSource& kernel, const BindingCandidate& candidate)
    : kernel_(kernel),
      scope_{names_in_kernel(source, kernel, candidate.matches), tokens_of(kernel.body)},
      tokens_(with_builtins(scope_.text)) {
  for (const auto& [name, value] : candidate.template_values) scope_.names.try_emplace(name, value);
  const std::vector<std::string> host = host_template_arguments(source, kernel);
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const std::string& text = i < host.size() ? host[i] : kernel.template_parameters[i].by_default;
    if (const auto value = number(tokens_of(text)))
      scope_.names.try_emplace(kernel.template_parameters[i].name, std::to_string(*value));
  }
  for (size_t i = 0; i < tokens_.size(); ++i)
    if (is_axis(tokens_, i, "blockIdx")) read(i);
}

std::optional<int64_t> Body::number(const Tokens& expression) const {
  const auto text = resolved(expression, scope_);
  return text && !text->empty() ? number_value(*text) : std::nullopt;
}

bool Body::uses(std::string_view builtin, char axis) const {
  for (size_t i = 0; i < tokens_.size(); ++i)
    if (is_axis(tokens_, i, builtin) && tokens_[i + 2].text[0] == axis) return true;
  return false;
}

bool Body::has_word(std::string_view word) const {
  return std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& t) { return t.text == word; });
}

// The statement around blockIdx.A at token i.
void Body::read(size_t i) {
  size_t begin = i, end = i;
  while (begin > 0 && !is_one_of(tokens_[begin - 1].text, {";", "{", "}", ",", "=", "["})) --begin;
  while (end < tokens_.size() && !is_one_of(tokens_[end].text, {";", ",", "]", "<", "="})) ++end;
  AxisIndex index;
  index.axis = tokens_[i + 2].text[0];
  for (size_t at = begin; at < end; ++at)
    if (is_axis(tokens_, at, "threadIdx")) index.counts_threads = true;
  find_each(i, index);
  const bool defined = begin > 1 && token_is(tokens_, begin - 1, "=");
  if (defined && tokens_[begin - 2].is_word()) find_bound(tokens_[begin - 2].text, end, index);
  indices_.push_back(std::move(index));
}

// (blockIdx.x * blockDim.x + threadIdx.x) * 4
void Body::find_each(size_t i, AxisIndex& index) const {
  if (!index.counts_threads) return;
  int depth = 0;
  for (size_t at = i; at-- > 0 && !is_one_of(tokens_[at].text, {";", "{", "}", "="});) {
    if (token_is(tokens_, at, ")")) ++depth;
    if (!token_is(tokens_, at, "(") || depth-- > 0) continue;
    const size_t close = closing(tokens_, at);
    if (token_is(tokens_, close + 1, "*") && close + 2 < tokens_.size())
      index.each = std::max<int64_t>(1, number({tokens_[close + 2]}).value_or(1));
    return;
  }
}

void Body::find_bound(std::string_view name, size_t begin, AxisIndex& index) const {
  for (size_t i = begin; i < tokens_.size(); ++i) {
    if (tokens_[i].text != name) continue;
    const Compared found = compared(tokens_, i);
    index.is_compared |= !found.bound.empty() || !compared_one_off(tokens_, i).empty();
    const auto scale = found.scale ? number({tokens_[*found.scale]}) : std::optional<int64_t>(1);
    if (found.bound.empty() || !resolved(found.bound, scope_) || !scale || *scale < 1) continue;
    index.each *= *scale;
    return;
  }
}

int64_t Body::tile() const {
  int64_t largest = 0;
  std::vector<int64_t> extents;
  const auto array_ends = [&] {
    constexpr int64_t kPaddingMax = 8;  // of a row, for banks: [32][32 + 1]
    const bool is_padded = extents.size() == 2 && extents[1] > extents[0] && extents[1] - extents[0] <= kPaddingMax;
    if (extents.size() == 2) largest = std::max({largest, extents[0], is_padded ? 0 : extents[1]});
    extents.clear();
  };
  for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
    if (!token_is(tokens_, i, "__shared__")) continue;
    for (size_t at = i; at < tokens_.size() && !token_is(tokens_, at, ";"); ++at) {
      if (token_is(tokens_, at, ",")) array_ends();
      if (!token_is(tokens_, at, "[")) continue;
      if (const size_t close = closing(tokens_, at); close < tokens_.size())
        extents.push_back(number(part(tokens_, at + 1, close)).value_or(0));
    }
    array_ends();
  }
  return largest;
}

bool Body::is_width(std::string_view word) const {
  const auto is_given = [&](const Token& token) {
    return token.text == word || is_one_of(token.text, {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}) ||
           std::ranges::any_of(kernel_.parameters, [&](const Parameter& p) { return p.name == token.text; });
  };
  const Tokens meaning = definition(tokens_, word);
  return !meaning.empty() && std::ranges::none_of(meaning, is_given);
}

std::map<std::string, int64_t> Body::steps() const {
  std::map<std::string, int64_t> steps;
  const auto add = [&](std::string_view parameter, size_t begin, size_t end, int64_t unknown = 1) {
    const bool is_size = std::ranges::any_of(
        kernel_.parameters, [&](const Parameter& p) { return p.name == parameter && is_whole_number(p); });
    const int64_t step = is_size && begin < end ? number(part(tokens_, begin, end)).value_or(unknown) : 1;
    if (step <= 1 || step > kStepMax) return;
    int64_t& known = steps.try_emplace(std::string(parameter), 1).first->second;
    known = std::lcm(known, step);
  };
  for (size_t i = 0; i + 2 < tokens_.size(); ++i) {
    // n / 4 * 4 is all but a tail, which somebody else has to take.
    const bool is_floored =
        token_is(tokens_, i + 3, "*") && i + 4 < tokens_.size() && tokens_[i + 4].text == tokens_[i + 2].text;
    if (tokens_[i].is_word() && token_is(tokens_, i + 1, "/") && !is_floored)
      add(tokens_[i].text, i + 2, i + 3, is_width(tokens_[i + 2].text) ? kWidthMax : 1);
    if (!token_is(tokens_, i, "for") || !token_is(tokens_, i + 1, "(")) continue;
    const size_t close = std::min(closing(tokens_, i + 1), tokens_.size());
    size_t bound = 0, by = 0;
    for (size_t at = i + 2; at + 1 < close; ++at) {
      if (token_is(tokens_, at, "<") && token_is(tokens_, at + 2, ";")) bound = at + 1;
      if (token_is(tokens_, at, "+") && token_is(tokens_, at + 1, "=")) by = at + 2;
    }
    if (bound > 0 && by > bound) add(tokens_[bound].text, by, close);
  }
  return steps;
}

int64_t Body::vector_width() const {
  int64_t each = 1;
  for (const AxisIndex& index : indices_)
    if (index.axis == 'x' && index.counts_threads) each = std::max(each, index.each);
  if (each > 1) return each;
  const bool halves = std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(), [](const Parameter& p) {
    return p.is_pointer && (p.type.find("half") != std::string::npos || p.type.find("bf") != std::string::npos);
  });
  const int64_t in16 = halves ? 8 : 4;
  for (const char* word : {"LDST128BITS", "float4", "FLOAT4", "int4", "INT4", "uint4"})
    if (has_word(word)) return in16;
  for (const char* word : {"float2", "half2", "HALF2", "__nv_bfloat162", "BFLOAT2"})
    if (has_word(word)) return 2;
  return 1;
}

bool Body::cooperates() const {
  return std::any_of(tokens_.begin(), tokens_.end(), [](const Token& t) {
    return t.text == "__syncthreads" || t.text.starts_with("__shfl") || t.text.find("reduce") != std::string_view::npos;
  });
}

std::map<std::string, std::string> counts_of_elements(const KernelSource& kernel) {
  const Tokens tokens = with_builtins(tokens_of(kernel.body));
  const auto is_parameter = [&](std::string_view name, bool pointer) {
    return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                       [&](const Parameter& p) { return p.name == name && p.is_pointer == pointer; });
  };
  std::map<std::string, std::string> counts;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is_word() || !token_is(tokens, i + 1, "=") || token_is(tokens, i + 2, "=")) continue;
    size_t end = i + 2;
    while (end < tokens.size() && !is_one_of(tokens[end].text, {";", ","})) ++end;
    if (!mentions(tokens, i + 2, end, "blockIdx") || !mentions(tokens, i + 2, end, "threadIdx")) continue;
    const std::string_view index = tokens[i].text;
    std::string bound, indexed;
    for (size_t at = end; at < tokens.size(); ++at) {
      if (tokens[at].text != index) continue;
      const bool whole =
          token_is(tokens, at + 1, "]") || (token_is(tokens, at + 1, "+") && token_is(tokens, at + 3, "]"));
      const size_t pointer = at > 2 && token_is(tokens, at - 2, ")") ? at - 3 : at - 2;  // (x)[i], x[i]
      if (whole && at > 2 && token_is(tokens, at - 1, "[") && is_parameter(tokens[pointer].text, true))
        indexed = tokens[pointer].text;
      for (const Tokens& found : {compared(tokens, at).bound, compared_one_off(tokens, at)}) {
        const bool is_bracketed = found.size() == 3 && token_is(found, 0, "(") && token_is(found, 2, ")");  // a macro's
        if (found.size() != 1 && !is_bracketed) continue;
        if (const auto name = found[is_bracketed ? 1 : 0].text; is_parameter(name, false)) bound = name;
      }
    }
    if (!indexed.empty() && !bound.empty()) counts.try_emplace(bound, indexed);
  }
  return counts;
}

std::map<std::string, std::string> second_names(const KernelSource& kernel) {
  const Tokens tokens = tokens_of(kernel.body);
  std::map<std::string_view, std::set<size_t>> bounds;  // of each variable, as parameters' numbers
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool is_below = token_is(tokens, i + 1, "<"),
               is_end = token_is(tokens, i + 1, ">") && token_is(tokens, i + 2, "=");
    const size_t at = i + (is_below ? 2 : 3);
    if (!tokens[i].is_word() || (!is_below && !is_end) || at + 1 >= tokens.size() ||
        !is_one_of(tokens[at + 1].text, {")", "&", "|", ";", "?"}))
      continue;
    const auto size = std::ranges::find(kernel.parameters, tokens[at].text, &Parameter::name);
    if (size != kernel.parameters.end() && is_whole_number(*size))
      bounds[tokens[i].text].insert(static_cast<size_t>(size - kernel.parameters.begin()));
  }
  std::erase_if(bounds, [&](const auto& each) { return definition(tokens, each.first).empty(); });
  std::map<std::string, std::string> names;
  for (const auto& [variable, sizes] : bounds)
    for (const size_t size : sizes)
      if (size != *sizes.begin()) names.emplace(kernel.parameters[size].name, kernel.parameters[*sizes.begin()].name);
  return names;
}

}  // namespace assay
