// Which op a kernel is meant for: by the words of its name, and by how many of its parameters the op's contract knows.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "harness/adapter/bind/infer.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// A kernel's name with abbreviations written out: "rmsNormBwd" is "rmsnormbackward".
std::string words_of_kernel(std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 4> kAbbreviations{
      {{"bwd", "backward"}, {"fwd", "forward"}, {"attn", "attention"}, {"emb_", "embedding"}}};
  std::string text;
  constexpr size_t kLongest = 1000;  // no name says more
  for (const char c : name.substr(0, kLongest)) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [abbreviation, word] : kAbbreviations)
    for (size_t at = text.find(abbreviation); at != std::string::npos; at = text.find(abbreviation, at + word.size()))
      text.replace(at, abbreviation.size(), word);
  return plain(text);
}

// The words of an op's name; one of a single letter, which any name contains, together with the word before it.
std::vector<std::string> words_of_op(const std::string& name) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('_', begin), name.size());
    const std::string word = name.substr(begin, end - begin);
    if (word.size() == 1 && !words.empty())
      words.back() += word;
    else
      words.push_back(word);
    begin = end + 1;
  }
  return words;
}

struct Score {
  int words = 0, words_missing = 0;  // of the op's name, in the kernel's
  int known = 0, unknown = 0;        // parameters
  int outputs_missing = 0;

  bool fits() const { return outputs_missing == 0 ? known > unknown || words > 0 : words > words_missing; }
  int total() const { return 3 * words - 2 * words_missing + 2 * known - 2 * unknown - 3 * outputs_missing; }
};

Score score(const KernelSource& kernel, const Contract& op) {
  Score score;
  const std::string name = words_of_kernel(kernel.name);
  for (const std::string& word : words_of_op(op.name)) {
    const bool present = name.find(word) != std::string::npos;
    score.words += present;
    score.words_missing += !present;
  }
  for (const TensorSpec& tensor : op.tensors) score.outputs_missing += tensor.role != Role::input;
  for (const Match& match : match_parameters(kernel, op)) {
    score.known += match.binding.has_value();
    score.unknown += !match.binding.has_value();
    score.outputs_missing -= match.binding && match.binding->spec && match.binding->spec->role != Role::input;
  }
  return score;
}

}  // namespace

bool names_op(const KernelSource& kernel, const std::string& op) {
  const std::string name = words_of_kernel(kernel.name);
  const std::vector<std::string> words = words_of_op(op);
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return name.find(word) != std::string::npos; });
}

std::string op_by_name(const KernelSource& kernel) {
  const std::string name = words_of_kernel(kernel.name);
  const auto has = [](const std::string& text, const std::string& word) { return text.find(word) != text.npos; };
  const bool is_gradient = has(name, "backward") || has(name, "grad");
  std::string best, words_of_best;
  std::vector<std::string> named;  // the words of every op that the name has
  for (const Contract& op : all_ops()) {
    if (has(op.name, "backward") != is_gradient) continue;
    std::vector<std::string> names = op.also_named;
    names.push_back(op.name);
    for (const std::string& one : names) {
      std::vector<std::string> words = words_of_op(one);
      std::erase_if(words, [](const std::string& word) { return is_one_of(word, {"forward", "backward", "2d"}); });
      if (words.empty() || !std::ranges::all_of(words, [&](const std::string& word) { return has(name, word); }))
        continue;
      named.push_back(std::accumulate(words.begin(), words.end(), std::string()));
      if (named.back().size() > words_of_best.size()) best = op.name, words_of_best = named.back();
    }
  }
  const bool one_thing =
      std::ranges::all_of(named, [&](const std::string& other) { return has(words_of_best, other); });
  return std::ranges::count(named, words_of_best) == 1 && one_thing ? best : "";
}

std::vector<std::string> likely_ops(const KernelSource& kernel) {
  std::vector<std::pair<int, std::string>> fitting;
  for (const Contract& op : all_ops())
    if (const Score each = score(kernel, op); each.fits()) fitting.emplace_back(-each.total(), op.name);
  std::sort(fitting.begin(), fitting.end());
  std::vector<std::string> names;
  for (const auto& [less, name] : fitting) names.push_back(name);
  return names;
}

}  // namespace assay
