// Recognising indices by their definitions' text.
#include "harness/adapter/read/body_indices.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "harness/adapter/read/arithmetic.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// The part that picks one of many: "blockIdx.x" of "blockIdx.x/32"; the text itself when it ends otherwise.
std::string_view before_warp_size(std::string_view text) {
  for (const std::string_view by : {"/32", "/warpSize", ">>5"})
    if (text.ends_with(by)) return text.substr(0, text.size() - by.size());
  return text;
}

bool is_thread(std::string_view index) {
  static constexpr std::array kSpellings = {
      std::string_view("blockIdx.x*blockDim.x+threadIdx.x"), std::string_view("blockDim.x*blockIdx.x+threadIdx.x"),
      std::string_view("threadIdx.x+blockIdx.x*blockDim.x"), std::string_view("threadIdx.x+blockDim.x*blockIdx.x")};
  return std::find(kSpellings.begin(), kSpellings.end(), index) != kSpellings.end();
}

// A thread's index divided by the warp's size, the sum of its two parts so divided, or that of a cooperative group.
bool is_warp(std::string_view index) {
  if (const auto thread = before_warp_size(index); thread != index && is_thread(thread)) return true;
  const size_t plus = index.find('+');
  if (plus == std::string_view::npos) return false;
  const std::string_view block = index.substr(0, plus), rest = index.substr(plus + 1);
  if (before_warp_size(block) == "blockIdx.x*blockDim.x" && block != before_warp_size(block) &&
      before_warp_size(rest) == "threadIdx.x" && rest != before_warp_size(rest))
    return true;
  Scanner of_size(block), of_rank(rest);
  if (!of_size.skip("blockIdx.x*")) return false;
  const std::string_view group = of_size.word();
  return !group.empty() && of_size.rest() == ".meta_group_size" && of_rank.word() == group &&
         of_rank.rest() == ".meta_group_rank";
}

// The kind of an index, from its definition without spaces, casts and brackets.
IndexKind kind_of(std::string_view index) {
  if (is_thread(index)) return IndexKind::thread;
  if (is_warp(index)) return IndexKind::warp;
  return index == "blockIdx.x" ? IndexKind::block : IndexKind::none;
}

}  // namespace

BodyIndices::BodyIndices(const KernelSource& kernel, Names names) : scope_{std::move(names), tokens_of(kernel.body)} {
  const Tokens& tokens = scope_.text;
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
    if (text.find('[') == std::string::npos &&  // a value that is read, and no index
        text.find("blockIdx") != std::string::npos && kind_of(text) == IndexKind::none &&
        (text.find("threadIdx") != std::string::npos || text.find("blockDim") != std::string::npos))
      return index;
  return "";
}

// n of n - 1, which an index greater than that is compared with.
static Result<std::string> without_last(Result<std::string> bound) {
  constexpr std::string_view kLast = " - 1";
  if (bound && bound->ends_with(kLast)) bound->resize(bound->size() - kLast.size());
  return bound;
}

std::optional<BodyIndices::Index> BodyIndices::find(IndexKind kind, char axis) const {
  const auto kind_along = [&](std::string text) {
    if (axis != 'x' && text.find(".x") != std::string::npos) return IndexKind::none;
    for (size_t at = text.find('.'); axis != 'x' && at != std::string::npos; at = text.find('.', at + 1))
      if (at + 1 < text.size() && text[at + 1] == axis) text[at + 1] = 'x';
    return kind_of(text);
  };
  std::optional<Index> unbounded, one_off;
  for (size_t i = 0; i + 1 < scope_.text.size(); ++i) {
    const auto index = indices_.find(std::string(scope_.text[i].text));
    if (index == indices_.end() || kind_along(index->second) != kind) continue;
    if (!unbounded) unbounded = Index{index->first, fail("")};
    const Tokens bound = compared_with(scope_.text, i);
    if (!bound.empty()) return Index{index->first, resolved(bound, scope_)};
    const bool is_above = token_is(scope_.text, i + 1, ">") && token_is(scope_.text, i + 3, ")");  // i > n, for i >= n
    if (is_above && scope_.text[i + 2].is_word() && !one_off)
      one_off = Index{index->first, without_last(resolved({scope_.text[i + 2]}, scope_))};
  }
  return one_off && one_off->bound ? one_off : unbounded;
}

// A definition's text without spaces, casts and brackets, with other indices and constants in place.
std::string BodyIndices::canonical(size_t begin) const {
  static const std::vector<std::string> kDropped = {"(",      ")",       "{",        "}",       "<",
                                                    ">",      "int",     "unsigned", "long",    "static_cast",
                                                    "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t"};
  std::string text;
  const Tokens& tokens = scope_.text;
  constexpr size_t kLongest = 200;  // of one that another is made of: each may be made of two
  for (size_t i = begin; i < tokens.size() && !token_is(tokens, i, ";") && !token_is(tokens, i, ","); ++i) {
    const std::string word(tokens[i].text);
    const bool shift = word == ">" && (token_is(tokens, i + 1, ">") || token_is(tokens, i - 1, ">"));
    if (!shift && std::find(kDropped.begin(), kDropped.end(), word) != kDropped.end()) continue;
    const auto index = indices_.find(word);
    const auto constant = scope_.names.find(word);
    const bool number =
        constant != scope_.names.end() && std::all_of(constant->second.begin(), constant->second.end(), ::isdigit);
    text += index != indices_.end() ? index->second.substr(0, kLongest) : number ? constant->second : word;
  }
  return text;
}

std::set<std::string> guarding_names(const KernelSource& kernel) {
  const std::vector<Token> tokens = tokens_of(kernel.body);
  std::set<std::string> names;
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (token_is(tokens, i, "for") && token_is(tokens, i + 1, "(")) i = std::min(closing(tokens, i + 1), tokens.size());
    if (i + 2 >= tokens.size() || !is_one_of(tokens[i].text, {"<", ">"})) continue;
    const size_t at = token_is(tokens, i + 1, "=") ? i + 2 : i + 1;
    const bool is_whole = at + 1 < tokens.size() && is_one_of(tokens[at + 1].text, {")", "&", "|", ";", "?"});
    if (is_whole && tokens[at].is_word()) names.emplace(tokens[at].text);
  }
  return names;
}

std::set<std::string> names_with_rests(const KernelSource& kernel) {
  const std::vector<Token> tokens = tokens_of(kernel.body);
  std::set<std::string> of_elements, of_vectors, both;
  std::map<std::string, std::pair<std::string, std::string>> vectors;  // n4 = n / 4
  for (size_t i = 3; i + 2 < tokens.size(); ++i) {
    const std::string text(tokens[i].text), before(tokens[i - 1].text), after(tokens[i + 1].text);
    if (text == "<") {
      const Token& bound = tokens[after == "=" ? i + 2 : i + 1];
      const bool is_further = token_is(tokens, i - 2, "+") && number_value(before);
      if (bound.is_word()) (is_further ? of_vectors : of_elements).emplace(bound.text);
    }
    if (text == "/" && tokens[i - 1].is_word() && number_value(after)) {
      if (token_is(tokens, i - 2, "=")) vectors[std::string(tokens[i - 3].text)] = {before, after};
      const size_t times = token_is(tokens, i + 2, ")") ? i + 3 : i + 2;
      if (token_is(tokens, times, "*") && token_is(tokens, times + 1, after)) of_vectors.insert(before);
    }
    if (const auto found = vectors.find(before); text == "*" && found != vectors.end() && found->second.second == after)
      of_vectors.insert(found->second.first);
  }
  std::ranges::set_intersection(of_elements, of_vectors, std::inserter(both, both.end()));
  return both;
}

std::vector<Token> compared_with(const std::vector<Token>& tokens, size_t i) {
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
