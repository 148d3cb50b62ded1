// Recognising indices by their definitions' text.
#include "harness/adapter/body_indices.h"

#include <algorithm>
#include <climits>
#include <regex>
#include <utility>

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// What an index is one of, from its definition without spaces, casts and brackets.
IndexKind kind_of(const std::string& index) {
  static const std::string kThread =
      R"((?:blockIdx\.x\*blockDim\.x\+threadIdx\.x|blockDim\.x\*blockIdx\.x\+threadIdx\.x|)"
      R"(threadIdx\.x\+blockIdx\.x\*blockDim\.x|threadIdx\.x\+blockDim\.x\*blockIdx\.x))";
  static const std::regex kThreads(kThread);
  static const std::regex kWarps(
      kThread + R"((?:/32|/warpSize|>>5))" +
      R"(|blockIdx\.x\*blockDim\.x(?:/32|/warpSize|>>5)\+threadIdx\.x(?:/32|/warpSize|>>5))" +
      R"(|blockIdx\.x\*(\w+)\.meta_group_size\+\1\.meta_group_rank)");
  if (std::regex_match(index, kThreads)) return IndexKind::thread;
  if (std::regex_match(index, kWarps)) return IndexKind::warp;
  return index == "blockIdx.x" ? IndexKind::block : IndexKind::none;
}

}  // namespace

BodyIndices::BodyIndices(const KernelSource& kernel, Names names)
    : where_{std::move(names), tokens_of(kernel.body), INT_MAX} {
  const Tokens& tokens = where_.text;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is_word() || !token_is(tokens, i + 1, "=") || token_is(tokens, i + 2, "=")) continue;
    const std::string text = canonical(i + 2);
    if (text.find("blockIdx") == std::string::npos && text.find("threadIdx") == std::string::npos &&
        text.find("blockDim") == std::string::npos && text.find("meta_group") == std::string::npos)
      continue;
    indices_.try_emplace(std::string(tokens[i].text), text);
  }
}

std::string BodyIndices::unknown_index() const {
  for (const auto& [index, text] : indices_)
    if (text.find("blockIdx") != std::string::npos && kind_of(text) == IndexKind::none &&
        (text.find("threadIdx") != std::string::npos || text.find("blockDim") != std::string::npos))
      return index;
  return "";
}

std::optional<BodyIndices::Index> BodyIndices::find(IndexKind kind) const {
  std::optional<Index> unbounded;
  for (size_t i = 0; i + 1 < where_.text.size(); ++i) {
    const auto index = indices_.find(std::string(where_.text[i].text));
    if (index == indices_.end() || kind_of(index->second) != kind) continue;
    if (!unbounded) unbounded = Index{index->first, fail("")};
    const Tokens bound = compared_with(i);
    if (!bound.empty()) return Index{index->first, resolved(bound, where_)};
  }
  return unbounded;
}

// A definition's text without spaces, casts and brackets, with other indices and constants in place.
std::string BodyIndices::canonical(size_t begin) const {
  static const std::vector<std::string> kDropped = {"(",      ")",       "{",        "}",       "<",
                                                    ">",      "int",     "unsigned", "long",    "static_cast",
                                                    "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t"};
  std::string text;
  const Tokens& tokens = where_.text;
  for (size_t i = begin; i < tokens.size() && !token_is(tokens, i, ";") && !token_is(tokens, i, ","); ++i) {
    const std::string word(tokens[i].text);
    const bool shift = word == ">" && (token_is(tokens, i + 1, ">") || token_is(tokens, i - 1, ">"));
    if (!shift && std::find(kDropped.begin(), kDropped.end(), word) != kDropped.end()) continue;
    const auto index = indices_.find(word);
    const auto constant = where_.names.find(word);
    const bool number =
        constant != where_.names.end() && std::all_of(constant->second.begin(), constant->second.end(), ::isdigit);
    text += index != indices_.end() ? index->second : number ? constant->second : word;
  }
  return text;
}

// The right side of `index < …` or `index >= …` at token i.
std::vector<Token> BodyIndices::compared_with(size_t i) const {
  const Tokens& tokens = where_.text;
  size_t begin = 0;
  if (token_is(tokens, i + 1, "<") && !token_is(tokens, i + 2, "=") && !token_is(tokens, i + 2, "<")) begin = i + 2;
  if (token_is(tokens, i + 1, ">") && token_is(tokens, i + 2, "=")) begin = i + 3;
  if (begin == 0) return {};
  size_t end = begin;
  while (end < tokens.size() && !token_is(tokens, end, ")") && !token_is(tokens, end, "&") &&
         !token_is(tokens, end, "|") && !token_is(tokens, end, ";") && !token_is(tokens, end, "?"))
    end = token_is(tokens, end, "(") ? closing(tokens, end) + 1 : end + 1;
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin),
          tokens.begin() + static_cast<std::ptrdiff_t>(std::min(end, tokens.size()))};
}

}  // namespace assay
