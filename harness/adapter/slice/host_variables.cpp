// Renaming within the bodies of host functions.
#include "harness/adapter/slice/host_variables.h"

#include <array>
#include <vector>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/function_source.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kLaunchNames{"blockDim", "gridDim", "threadIdx", "blockIdx"};

// Whether the tokens of a body declare `name`: dim3 name, const int name, auto name.
bool declares(const std::vector<Token>& tokens, std::string_view name) {
  for (size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].text == name && tokens[i - 1].is_word() && !is_one_of(tokens[i - 1].text, {"return", "case", "else"}))
      return true;
  return false;
}

}  // namespace

std::string with_host_variables_renamed(std::string_view text) {
  const auto code = without_comments(text);
  if (!code) return std::string(text);  // a compiler reports better what is wrong with it
  std::string renamed;
  size_t copied = 0;
  for (const FunctionSource& function : functions_of(without_directives(*code, Branches::all))) {
    if (function.is_device || function.begin < copied) continue;
    const std::vector<Token> tokens = tokens_of(std::string_view(function.body));
    for (const Token& token : tokens)
      for (const std::string_view name : kLaunchNames)
        if (token.text == name && declares(tokens, name)) {
          const size_t at = function.begin + token.at;
          renamed += text.substr(copied, at - copied);
          renamed += "assay_host_";
          copied = at;
        }
  }
  return renamed += text.substr(copied);
}

}  // namespace assay
