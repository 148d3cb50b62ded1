// Reading typedef and using declarations token by token.
#include "harness/adapter/type_aliases.h"

#include <algorithm>
#include <map>
#include <string>

#include "harness/adapter/cuda_text.h"

namespace assay {
namespace {

constexpr int kNamesDeepMax = 8;  // of names for names; more than that is a circle

struct TypeAlias {
  std::string type;  // without const and *; "" for a name with several meanings
  bool is_pointer = false;
  bool is_const = false;  // of what a pointer points to, or of the type
  bool operator==(const TypeAlias&) const = default;
};
using Aliases = std::map<std::string, TypeAlias>;

bool is_qualifier(std::string_view word) {
  return is_one_of(word, {"const", "__restrict__", "__restrict", "restrict", "volatile"});
}

// Adds `name` for the words of [begin, end), a type or a pointer to one; other types, as templates, are left alone.
void add(const std::vector<Token>& tokens, size_t begin, size_t end, std::string_view name, Aliases& aliases) {
  TypeAlias alias;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view text = tokens[i].text;
    if (is_qualifier(text)) {
      alias.is_const |= text == "const" && !alias.is_pointer;
    } else if (text == "*" && !alias.is_pointer) {
      alias.is_pointer = true;
    } else if ((tokens[i].is_word() || text == "::") && !alias.is_pointer) {
      const bool joined = alias.type.empty() || alias.type.ends_with("::") || text == "::";
      alias.type += (joined ? "" : " ") + std::string(text);
    } else {
      return;
    }
  }
  if (alias.type.empty() || alias.type == name) return;
  const auto [known, is_new] = aliases.emplace(name, alias);
  if (!is_new && known->second != alias) known->second = {};
}

Aliases aliases_of(std::string_view code) {
  const std::vector<Token> tokens = tokens_of(code);
  Aliases aliases;
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool old = tokens[i].text == "typedef", alias = tokens[i].text == "using" && tokens[i + 2].text == "=";
    if (!old && !alias) continue;
    size_t end = i + 1;
    while (end < tokens.size() && !is_one_of(tokens[end].text, {";", "{", "typedef", "using"})) ++end;
    if (end == tokens.size() || tokens[end].text != ";") continue;
    if (alias) add(tokens, i + 3, end, tokens[i + 1].text, aliases);
    if (old && end > i + 2 && tokens[end - 1].is_word()) add(tokens, i + 1, end - 1, tokens[end - 1].text, aliases);
  }
  return aliases;
}

}  // namespace

void resolve_type_aliases(std::string_view code, CudaSource& source) {
  const Aliases aliases = aliases_of(code);
  const auto resolve = [&](KernelSource& function) {
    const auto& own = function.template_parameters;
    for (Parameter& parameter : function.parameters)
      for (int depth = 0; depth < kNamesDeepMax && std::find(own.begin(), own.end(), parameter.type) == own.end();
           ++depth) {
        const auto alias = aliases.find(parameter.type);
        if (alias == aliases.end() || alias->second.type.empty()) break;
        if (parameter.is_pointer && alias->second.is_pointer) break;  // to a pointer: no op has those
        if (alias->second.is_pointer)
          parameter.is_const = alias->second.is_const;  // a const of the parameter's own is the pointer's
        else
          parameter.is_const |= alias->second.is_const;
        parameter.is_pointer |= alias->second.is_pointer;
        parameter.type = alias->second.type;
      }
  };
  for (KernelSource& kernel : source.kernels) resolve(kernel);
  for (FunctionSource& function : source.functions) resolve(function);
}

}  // namespace assay
