// A kernel called causal_softmax has no parameter for what its name says: optional attributes that it may choose.
#include <fmt/format.h>

#include <algorithm>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/match.h"

namespace assay {
namespace {

bool is_named_by(const std::string& kernel, const AttrSpec& attr) {
  const std::string plain = plain_name(kernel);
  const auto is_part = [&](const std::string& name) { return plain.find(plain_name(name)) != std::string::npos; };
  return is_part(attr.name) || std::any_of(attr.aliases.begin(), attr.aliases.end(), is_part);
}

bool is_fixed(const Adapter& adapter, const std::string& attr) {
  return std::any_of(adapter.fixed.begin(), adapter.fixed.end(), [&](const Fixed& each) { return each.name == attr; });
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
  for (const AttrSpec& attr : contract.attrs) {
    if (!attr.optional || attr.choices.size() != 2 || !is_named_by(kernel, attr)) continue;
    std::vector<Inferred> both;
    for (Inferred& candidate : candidates) {
      if (!is_taken(candidate.adapter, attr.name) && !is_fixed(candidate.adapter, attr.name)) {
        Inferred other = candidate;
        other.adapter.fixed.push_back({attr.name, attr.choices[1]});
        other.remarks.push_back(
            fmt::format("Its name says so: {} ({}) is {}.", attr.name, attr.meaning, attr.choices[1]));
        both.push_back(other);
        if (auto square = of_squares(std::move(other), contract)) both.push_back(std::move(*square));
      }
      both.push_back(std::move(candidate));
    }
    candidates = std::move(both);
  }
  return candidates;
}

}  // namespace assay
