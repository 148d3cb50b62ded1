// Holds sizes that a candidate leaves to its grid: to 1, to another size, to what counts alike.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

// The words of the arguments, and those of the grid: a block for each of a size takes it, too.
std::set<std::string> with_grid(std::set<std::string> words, const Inferred& inferred) {
  for (const AdapterLaunch& launch : inferred.adapter.launches)
    for (const std::string& extent : launch.grid)
      for (const Token& token : tokens_of(extent)) words.emplace(token.text);
  return words;
}

// A kernel with two numbers for one size is no kernel for squares, which would hide what it takes for a row's length.
bool passes_twice(const Inferred& inferred, const std::string& dim) {
  return std::ranges::any_of(inferred.adapter.launches,
                             [&](const AdapterLaunch& launch) { return std::ranges::count(launch.args, dim) > 1; });
}

// A kernel of one size where the op multiplies matrices of three and more: squares, of which all sizes are that one.
void fix_to_only_size(const Contract& contract, const std::set<std::string>& words, const Inferred& plain,
                      std::vector<Inferred>& all) {
  std::vector<std::string> taken, others;
  for (const DimSpec& dim : contract.dims)
    if (is_extent(contract, dim)) (words.contains(dim.name) ? taken : others).push_back(dim.name);
  if (!contract.multiplies_matrices || taken.size() != 1 || others.size() < 2 || passes_twice(plain, taken[0])) return;
  Inferred one = plain;
  for (const std::string& name : others) {
    if (std::any_of(one.adapter.fixed.begin(), one.adapter.fixed.end(),
                    [&](const Fixed& fixed) { return fixed.name == name; }))
      return;
    one.adapter.fixed.push_back({name, taken[0]});
    one.guesses.push_back(fmt::format("{} is {}", name, taken[0]));
  }
  one.cost -= 1;  // before the candidate that leaves the sizes open
  all.push_back(std::move(one));
}

// Whether the op's first output has two extents of these at least: a single row hides what a kernel does wrong with
// rows.
bool has_rows_and_columns(const Contract& contract, const std::set<std::string>& dims) {
  const auto output =
      std::ranges::find_if(contract.tensors, [](const TensorSpec& tensor) { return tensor.role != Role::input; });
  if (output == contract.tensors.end() || output->shape_by) return true;
  return std::ranges::count_if(output->shape, [&](const std::string& extent) { return dims.contains(extent); }) > 1;
}

// Whether the op sums along a dim, or chooses along it: inputs have it, and no output. One term would hide what a
// kernel does wrong with the others.
bool is_summed_along(const Contract& contract, const DimSpec& dim) {
  const auto has = [&](const TensorSpec& tensor) {
    const ShapeText shape = tensor.shape_by ? tensor.shape_by(probe(contract)) : tensor.shape;
    return std::ranges::any_of(shape, [&](const std::string& extent) { return mentions(tokens_of(extent), dim.name); });
  };
  const auto is_output = [](const TensorSpec& tensor) { return tensor.role != Role::input; };
  return !dim.repeats && std::ranges::any_of(contract.tensors, has) &&
         std::ranges::none_of(contract.tensors,
                              [&](const TensorSpec& tensor) { return is_output(tensor) && has(tensor); });
}

// Whether a tensor that is passed has a dim.
bool is_of_taken(const Contract& contract, const std::set<std::string>& words, const DimSpec& dim) {
  const auto has_dim = [&](const std::string& extent) { return mentions(tokens_of(extent), dim.name); };
  return std::ranges::any_of(contract.tensors, [&](const TensorSpec& tensor) {
    return words.contains(tensor.name) && (tensor.shape_by || std::ranges::any_of(tensor.shape, has_dim));
  });
}

// Whether each size that is passed is one of a tensor that is passed: another one, beside a single row, is that row's
// number under a wrong name.
bool sizes_are_of_tensors(const Contract& contract, const std::set<std::string>& words) {
  return std::ranges::all_of(contract.dims, [&](const DimSpec& dim) {
    return !words.contains(dim.name) || !is_extent(contract, dim) || is_of_taken(contract, words, dim);
  });
}

// A kernel of two sizes where the op multiplies matrices of three: two of them are one, as in a product of square
// scores.
void fix_third(const Contract& contract, const std::vector<const DimSpec*>& taken, const DimSpec& other,
               const Inferred& plain, std::vector<Inferred>& all) {
  if (!contract.multiplies_matrices || taken.size() != 2) return;
  for (const DimSpec* dim : taken) {
    if (passes_twice(plain, dim->name)) continue;
    Inferred one = plain;
    one.adapter.fixed.push_back({other.name, dim->name});
    one.guesses.push_back(fmt::format("{} is {}", other.name, dim->name));
    one.cost -= 1;  // before the candidate that leaves it open
    all.push_back(std::move(one));
  }
}

// A kernel that takes some of the op's three and more sizes, and never the others: those that count alike are the same
// number, as of keys and queries, a distance between rows is their length, and the rest is 1, as of batches and heads.
void fix_others(const Contract& contract, const std::set<std::string>& words, const Inferred& plain,
                std::vector<Inferred>& all) {
  std::vector<const DimSpec*> taken, others;
  Inferred one = plain;
  const auto fix = [&](const DimSpec& dim, const std::string& value) {
    one.adapter.fixed.push_back({dim.name, value});
    one.guesses.push_back(fmt::format("{} is {}", dim.name, value));
  };
  bool is_unpadded = false;
  for (const DimSpec& dim : contract.dims) {
    const bool is_fixed =
        std::ranges::any_of(plain.adapter.fixed, [&](const Fixed& fixed) { return fixed.name == dim.name; });
    if (!is_extent(contract, dim) || is_fixed || !is_of_taken(contract, words, dim)) continue;
    if (!words.contains(dim.name) && words.contains(dim.unpadded))
      fix(dim, dim.unpadded), is_unpadded = true;
    else
      (words.contains(dim.name) ? taken : others).push_back(&dim);
  }
  if (others.empty() && is_unpadded) all.push_back(one);
  if (taken.size() < 2 || others.empty()) return;
  if (others.size() == 1) fix_third(contract, taken, *others[0], one, all);
  std::set<std::string> several;  // the dims that are not 1
  for (const DimSpec* dim : taken) several.insert(dim->name);
  for (const DimSpec* other : others) {
    const auto alike = std::ranges::find_if(taken, [&](const DimSpec* dim) { return count_alike(*dim, *other); });
    if (alike == taken.end() ? is_summed_along(contract, *other) : passes_twice(plain, (*alike)->name)) return;
    const std::string value = alike == taken.end() ? "1" : (*alike)->name;
    if (alike != taken.end()) several.insert(other->name);
    fix(*other, value);
  }
  if (has_rows_and_columns(contract, several)) all.push_back(std::move(one));
}

}  // namespace

void fix_untaken(const Contract& contract, const std::vector<Inferred>& plain, std::vector<Inferred>& all) {
  const bool may_have_rows = contract.dims.size() == 2 || (contract.dims.size() > 2 && !rows_of(contract).empty());
  for (const Inferred& each : plain) {
    std::set<std::string> words;
    for (const AdapterLaunch& launch : each.adapter.launches)
      for (const std::string& arg : launch.args)
        for (const Token& token : tokens_of(arg)) words.emplace(token.text);
    fix_to_only_size(contract, with_grid(words, each), each, all);
    fix_others(contract, with_grid(words, each), each, all);
    const auto is_taken = [&](const TensorSpec& tensor) { return words.contains(tensor.name); };
    const std::string &rows = contract.dims[0].name, &cols = contract.dims[1].name;
    if (!may_have_rows || is_of_absent_tensors(contract, cols, is_taken)) continue;
    if (words.contains(rows) == words.contains(cols)) continue;
    for (const auto& [name, value] :
         {std::pair{rows, std::string("1")}, std::pair{cols, rows}, std::pair{rows, cols}}) {
      if (words.contains(name) || (value == "1" && !sizes_are_of_tensors(contract, words)) || passes_twice(each, value))
        continue;
      Inferred one = each;
      const auto known = std::find_if(one.adapter.fixed.begin(), one.adapter.fixed.end(),
                                      [&](const Fixed& fixed) { return fixed.name == name; });
      if (known != one.adapter.fixed.end()) continue;
      one.adapter.fixed.push_back({name, value});
      one.guesses.push_back(fmt::format("{} is {}", name, value));
      one.cost += value == "1" ? 1 : 2;
      all.push_back(std::move(one));
    }
  }
}

}  // namespace assay
