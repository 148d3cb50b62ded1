// Renaming what is a keyword, or a name that generated code needs itself.
#include "harness/adapter/build/cpp_names.h"

#include <algorithm>
#include <array>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "assay_name_";

bool is_taken(std::string_view name) {
  static constexpr std::array<std::string_view, 97> kWords = {
      "alignas",     "alignof",   "and",        "and_eq",    "asm",      "auto",         "bitand",
      "bitor",       "bool",      "break",      "case",      "catch",    "char",         "char8_t",
      "char16_t",    "char32_t",  "class",      "compl",     "concept",  "const",        "consteval",
      "constexpr",   "constinit", "const_cast", "continue",  "co_await", "co_return",    "co_yield",
      "decltype",    "default",   "delete",     "do",        "double",   "dynamic_cast", "else",
      "enum",        "explicit",  "export",     "extern",    "false",    "float",        "for",
      "friend",      "goto",      "if",         "inline",    "int",      "long",         "mutable",
      "namespace",   "new",       "noexcept",   "not",       "not_eq",   "nullptr",      "operator",
      "or",          "or_eq",     "private",    "protected", "public",   "register",     "reinterpret_cast",
      "requires",    "return",    "short",      "signed",    "sizeof",   "static",       "static_assert",
      "static_cast", "struct",    "switch",     "template",  "this",     "thread_local", "throw",
      "true",        "try",       "typedef",    "typeid",    "typename", "union",        "unsigned",
      "using",       "virtual",   "void",       "volatile",  "wchar_t",  "while",        "xor",
      "xor_eq",      "std",       "assay",      "int64_t",   "dim3",     "restrict"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

void rename(std::string& name) {
  if (is_taken(name)) name.insert(0, kPrefix);
}

// The words of an expression that the contract has: `default` is a dim where there is one of that name.
void rename_in(std::string& expression, const Contract& contract) {
  const auto has = [&](std::string_view word) {
    const auto is_it = [&](const auto& spec) { return spec.name == word; };
    return std::any_of(contract.dims.begin(), contract.dims.end(), is_it) ||
           std::any_of(contract.attrs.begin(), contract.attrs.end(), is_it) ||
           std::any_of(contract.tensors.begin(), contract.tensors.end(), is_it);
  };
  const std::string text = expression;
  const std::vector<Token> tokens = tokens_of(text);
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token)
    if (is_taken(token->text) && has(token->text)) expression.insert(token->at, kPrefix);
}

}  // namespace

CppNames::CppNames(const Adapter& given, const Contract& own) : adapter(given), contract(own) {
  const auto rename_all = [&](std::vector<std::string>& expressions) {
    for (std::string& expression : expressions) rename_in(expression, own);
  };
  rename_all(adapter.requirements);
  rename_in(adapter.workspace, own);
  for (AdapterLaunch& launch : adapter.launches) {
    for (auto* expressions : {&launch.args, &launch.grid, &launch.block}) rename_all(*expressions);
    rename_in(launch.shared, own);
  }
  for (DimSpec& dim : contract.dims) rename(dim.name);
  for (AttrSpec& attr : contract.attrs) rename(attr.name);
  for (TensorSpec& tensor : contract.tensors) rename(tensor.name);
}

std::string with_own_names_in_literals(const std::string& code) {
  std::string out;
  bool quoted = false;
  for (size_t i = 0; i < code.size(); ++i) {
    if (quoted && code.compare(i, kPrefix.size(), kPrefix) == 0) i += kPrefix.size();
    if (code[i] == '"') quoted = !quoted;
    out += code[i];
    if (quoted && code[i] == '\\') out += code[++i];
  }
  return out;
}

}  // namespace assay
