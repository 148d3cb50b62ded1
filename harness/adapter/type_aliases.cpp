// Reading typedef and using declarations token by token.
#include "harness/adapter/type_aliases.h"

#include <algorithm>
#include <map>
#include <string>

#include "harness/adapter/cuda_text.h"

namespace assay {
namespace {

constexpr int kDepthMax = 8;  // of names for names; more than that is a circle

using Aliases = std::map<std::string, std::string>;  // "" for a name with several meanings

// Adds `name` for the words of [begin, end); other types, as pointers and templates, are left alone.
void add(const std::vector<Token>& tokens, size_t begin, size_t end, std::string_view name, Aliases& aliases) {
  std::string type;
  for (size_t i = begin; i < end; ++i) {
    if (!tokens[i].is_word() && tokens[i].text != "::") return;
    const bool joined = type.empty() || type.ends_with("::") || tokens[i].text == "::";
    type += (joined ? "" : " ") + std::string(tokens[i].text);
  }
  if (type.empty() || type == name) return;
  const auto [known, is_new] = aliases.emplace(name, type);
  if (!is_new && known->second != type) known->second = "";
}

Aliases aliases_of(std::string_view code) {
  const std::vector<Token> tokens = tokens_of(code);
  Aliases aliases;
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool old = tokens[i].text == "typedef", alias = tokens[i].text == "using" && tokens[i + 2].text == "=";
    if (!old && !alias) continue;
    size_t end = i + 1;
    while (end < tokens.size() && tokens[end].text != ";" && tokens[end].text != "{") ++end;
    if (end == tokens.size() || tokens[end].text == "{") continue;
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
      for (int depth = 0; depth < kDepthMax && std::find(own.begin(), own.end(), parameter.type) == own.end();
           ++depth) {
        const auto alias = aliases.find(parameter.type);
        if (alias == aliases.end() || alias->second.empty()) break;
        parameter.type = alias->second;
      }
  };
  for (KernelSource& kernel : source.kernels) resolve(kernel);
  for (FunctionSource& function : source.functions) resolve(function);
}

}  // namespace assay
