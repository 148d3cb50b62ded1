// Names as people spell them, without case, affixes and the ways of writing a gradient.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

std::string without_underscores(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "d" and the rest of a name that is written as a gradient: dx, dX, d_x, grad_x, x_grad. Nothing for others.
std::optional<std::string> gradient_of(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view prefix : {"grad_", "d_"})
    if (lower.starts_with(prefix) && lower.size() > prefix.size())
      return "d" + without_underscores(lower.substr(prefix.size()));
  if (lower.ends_with("_grad") && lower.size() > 5) return "d" + without_underscores(lower.substr(0, lower.size() - 5));
  return std::nullopt;
}

// Counts: num_rows, n_rows and nrows are rows.
std::optional<std::string> counted_by(std::string_view name) {
  const std::string lower = without_underscores(name);
  for (const std::string_view prefix : {"num", "n"})
    if (lower.starts_with(prefix) && lower.size() > prefix.size() + 2) return lower.substr(prefix.size());
  return std::nullopt;
}

// Means and keys are a mean and a key; bias and axis are what they are.
std::string without_plural(const std::string& word) {
  const bool is_plural =
      word.size() > 3 && word.ends_with('s') && !is_one_of(word.substr(word.size() - 2), {"ss", "us", "is", "as"});
  return is_plural ? word.substr(0, word.size() - 1) : word;
}

std::string usual_word(const std::string& word) {
  static const std::map<std::string, std::string> kUsual = {
      {"query", "q"},       {"qo", "q"},        {"key", "k"},           {"value", "v"},       {"queries", "q"},
      {"nhead", "head"},    {"seqlen", "seq"},  {"sequence", "seq"},    {"column", "col"},    {"batchsize", "batch"},
      {"indices", "index"}, {"ids", "id"},      {"embed", "embedding"}, {"emb", "embedding"}, {"grad", "d"},
      {"hid", "hidden"},    {"prob", "p"},      {"variance", "var"},    {"output", "out"},    {"dst", "out"},
      {"result", "out"},    {"position", "pos"}};
  const auto special = kUsual.find(word);
  if (special != kUsual.end()) return special->second;
  const auto usual = kUsual.find(without_plural(word));
  return usual == kUsual.end() ? without_plural(word) : usual->second;
}

// "kvHeadNum" and "num_kv_heads" are {head, kv}.
std::set<std::string> telling_words(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  const auto end_word = [&] {
    const bool is_filler =
        is_one_of(word, {"",    "num",    "n",    "number", "of",  "count",   "cnt",    "size",  "len",   "length",
                         "dim", "dims",   "data", "ptr",    "buf", "buffer",  "tensor", "total", "input", "in",
                         "src", "source", "p",    "g",      "cur", "current", "this",   "device"});
    if (!is_filler) words.insert(usual_word(word));
    word.clear();
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool begins = std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (c == '_' || begins) end_word();
    if (c != '_') word += static_cast<char>(std::tolower(c));
  }
  end_word();
  if (words.contains("k") && words.contains("v")) {  // key_value_heads
    words.erase("k"), words.erase("v");
    words.insert("kv");
  }
  return words;
}

}  // namespace

bool is_called_like(const std::string& name, const Binding& binding) {
  if (likeness(name, binding) != none) return true;
  const std::set<std::string> words = telling_words(name);
  if (words.empty()) return false;
  return words == telling_words(binding.name) ||
         std::any_of(binding.aliases.begin(), binding.aliases.end(),
                     [&](const std::string& alias) { return words == telling_words(alias); });
}

std::string plain_name(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view suffix : {"_ptr", "_dev", "_device", "_d", "_gpu", "_data", "_"})
    if (lower.ends_with(suffix) && lower.size() > suffix.size()) {
      lower.resize(lower.size() - suffix.size());
      break;
    }
  for (const std::string_view prefix : {"d_", "p_", "g_", "ptr_", "dev_"})
    if (lower.starts_with(prefix) && lower.size() > prefix.size()) {
      lower.erase(0, prefix.size());
      break;
    }
  return without_underscores(lower);
}

bool counts_batches(std::string_view name) {
  return is_one_of(plain_name(name), {"b", "bs", "bsz", "batch", "batches", "batchsize", "nbatch", "numbatches"});
}

bool counts_elements(std::string_view name) {
  return is_one_of(plain_name(name), {"n", "size", "total", "count", "len", "length", "numel", "nelements",
                                      "numelements", "elements", "totalelements", "totalsize"});
}

bool counts_with_padding(std::string_view name) {
  const std::string plain = plain_name(name);
  return plain == "p" || plain == "vp" || plain == "pitch" || plain == "ld" || plain.find("stride") != plain.npos ||
         plain.find("padded") != plain.npos || (plain.size() == 3 && plain.starts_with("ld"));
}

bool counts_model(std::string_view name) {
  return is_one_of(plain_name(name), {"model", "dmodel", "modeldim", "hiddensize", "hiddendim", "hidden", "embeddim",
                                      "embedsize", "embeddingdim", "nembd", "modelsize", "embd"});
}

bool means_either(std::string_view name) { return is_one_of(plain_name(name), {"m", "n", "h", "w", "x", "y"}); }

bool same_name(std::string_view a, std::string_view b) {
  if (without_underscores(a) == without_underscores(b)) return true;
  const auto gradient = gradient_of(a);
  if (gradient && *gradient == without_underscores(b)) return true;
  return plain_name(a) == without_underscores(b);
}

Likeness likeness(const std::string& name, const Binding& binding) {
  if (name == binding.name) return exact;
  if (same_name(name, binding.name)) return own;
  const auto is_alias = [&](const std::string& word) {
    return std::any_of(binding.aliases.begin(), binding.aliases.end(),
                       [&](auto& alias) { return same_name(word, alias); });
  };
  if (is_alias(name)) return usual;
  if (binding.kind == Binding::dim && name.size() > 2 && (same_name(name + "s", binding.name) || is_alias(name + "s")))
    return usual;  // row of rows
  const auto counted = binding.kind == Binding::dim ? counted_by(name) : std::nullopt;
  return counted && (same_name(*counted, binding.name) || is_alias(*counted)) ? usual : none;
}

}  // namespace assay
