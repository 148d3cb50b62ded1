// A kernel called causal_softmax or dequantize_q8_0 has no parameter for what its name says: attributes that it may
// choose.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/match.h"

namespace assay {
namespace {

bool is_named_by(const std::string& kernel, const AttrSpec& attr) {
  const std::string plain = plain_name(kernel);
  const auto is_part = [&](const std::string& name) { return plain.find(plain_name(name)) != std::string::npos; };
  return is_part(attr.name) || std::any_of(attr.aliases.begin(), attr.aliases.end(), is_part);
}

// Whether a kernel's name has a word, whatever its case, between underscores: q4_k of dequantize_block_q4_K.
bool has_word(std::string kernel, const std::string& word) {
  const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  std::ranges::transform(kernel, kernel.begin(), lower);
  const auto ends_at = [&](size_t at) { return at == kernel.size() || kernel[at] == '_'; };
  for (size_t at = kernel.find(word); at != std::string::npos; at = kernel.find(word, at + 1))
    if ((at == 0 || kernel[at - 1] == '_') && ends_at(at + word.size())) return true;
  return false;
}

// The choice that the kernel's name makes of an attribute: the second of two choices of an optional one by the
// attribute's name, or any other than the first by its own. "": nothing.
std::string named_choice(const std::string& kernel, const AttrSpec& attr) {
  if (attr.choices.size() == 2) return attr.optional && is_named_by(kernel, attr) ? attr.choices[1] : "";
  for (size_t i = 1; i < attr.choices.size(); ++i)
    if (has_word(kernel, attr.choices[i])) return attr.choices[i];
  return "";
}

// Whether an attribute has no value, or, of several, the one that it has where nothing names it.
bool is_open(const Adapter& adapter, const AttrSpec& attr) {
  return std::ranges::none_of(adapter.fixed, [&](const Fixed& each) {
    return each.name == attr.name && (attr.choices.size() == 2 || each.value != attr.choices.front());
  });
}

bool is_taken(const Adapter& adapter, const std::string& attr) {
  const auto names_it = [&](const std::string& arg) { return arg == attr; };
  return std::any_of(adapter.launches.begin(), adapter.launches.end(), [&](const AdapterLaunch& launch) {
    return std::any_of(launch.args.begin(), launch.args.end(), names_it);
  });
}

// For as many rows as columns only: where the diagonal of a causal kernel mostly begins, whatever the op's does.
std::optional<Inferred> of_squares(Inferred candidate, const Contract& contract) {
  if (contract.dims.size() != 2) return std::nullopt;
  const std::string &rows = contract.dims[0].name, &cols = contract.dims[1].name;
  if (is_fixed(candidate.adapter, rows) || is_fixed(candidate.adapter, cols)) return std::nullopt;
  candidate.adapter.fixed.push_back({rows, cols});
  candidate.guesses.push_back(fmt::format("{} is {}", rows, cols));
  return candidate;
}

}  // namespace

std::vector<Inferred> with_named_choices(std::vector<Inferred> candidates, const std::string& kernel,
                                         const Contract& contract) {
  std::set<std::string> said;  // one word of a name says one thing
  for (const AttrSpec& attr : contract.attrs) {
    const std::string choice = named_choice(kernel, attr);
    if (choice.empty() || !said.insert(choice).second) continue;
    std::vector<Inferred> both;
    for (Inferred& candidate : candidates) {
      if (!is_taken(candidate.adapter, attr.name) && is_open(candidate.adapter, attr)) {
        Inferred other = candidate;
        std::erase_if(other.adapter.fixed, [&](const Fixed& each) { return each.name == attr.name; });
        std::erase_if(other.guesses, [&](const std::string& guess) { return guess.starts_with(attr.name + " is "); });
        other.adapter.fixed.push_back({attr.name, choice});
        other.remarks.push_back(fmt::format("Its name says so: {} ({}) is {}.", attr.name, attr.meaning, choice));
        both.push_back(other);
        if (auto square = of_squares(std::move(other), contract); square && attr.choices.size() == 2)
          both.push_back(std::move(*square));
      }
      both.push_back(std::move(candidate));
    }
    candidates = std::move(both);
  }
  return candidates;
}

}  // namespace assay
