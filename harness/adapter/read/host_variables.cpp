// Renaming within the bodies of host functions.
#include "harness/adapter/read/host_variables.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kLaunchNames{"blockDim", "gridDim", "threadIdx", "blockIdx"};

bool is_launch_name(std::string_view word) {
  return std::find(kLaunchNames.begin(), kLaunchNames.end(), word) != kLaunchNames.end();
}

// The end of the block around token i: its }, or the end of the text.
size_t end_of_block(const std::vector<Token>& tokens, size_t i) {
  while (i < tokens.size() && !token_is(tokens, i, "}"))
    i = token_is(tokens, i, "{") || token_is(tokens, i, "(") ? std::min(closing(tokens, i), tokens.size() - 1) + 1
                                                             : i + 1;
  return i;
}

}  // namespace

std::string with_host_variables_renamed(std::string_view text) {
  const auto code = without_comments(text);
  if (!code) return std::string(text);  // a compiler reports better what is wrong with it
  Replaced renamed(text);
  const std::string plain = without_directives(*code);
  const std::vector<Token> tokens = tokens_of(plain);
  std::map<std::string_view, size_t> until;  // token, by name
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (!is_launch_name(tokens[i].text)) continue;
    const bool behind_type = tokens[i - 1].is_word() && !is_one_of(tokens[i - 1].text, {"return", "case", "else"});
    const bool declares = behind_type && i + 1 < tokens.size() && is_one_of(tokens[i + 1].text, {"(", "{", "=", ";"});
    if (declares) until[tokens[i].text] = end_of_block(tokens, i);
    const auto known = until.find(tokens[i].text);
    if (known == until.end() || i >= known->second) continue;
    renamed.replace(tokens[i].at, tokens[i].at, "assay_host_");
  }
  return renamed.take();
}

}  // namespace assay
