// Sizes that a kernel has built in: no parameter says how long its rows are, its indices do.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/candidates/row_lengths.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/arithmetic.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

// The dims that neither numbers among the arguments nor the grid of a launch take.
Texts untaken(const Adapter& adapter, const Contract& contract) {
  const AdapterLaunch& launch = adapter.launches.at(0);
  Texts all;
  for (const DimSpec& dim : contract.dims) {
    const auto has_it = [&](const std::string& text) {
      return tensor_in(text) == text && mentions(tokens_of(text), dim.name);
    };
    if (is_extent(contract, dim) && !is_fixed(adapter, dim.name) && std::ranges::none_of(launch.args, has_it) &&
        std::ranges::none_of(launch.grid, has_it))
      all.push_back(dim.name);
  }
  return all;
}

void hold(Inferred& one, const std::string& dim, int64_t size) {
  one.adapter.fixed.push_back({dim, std::to_string(size)});
  std::erase(one.guesses, fmt::format("the kernel needs no {}", dim));
}

// The last extents of the tensors that pointers with rows of a built-in length are bound to.
void hold_lengths(const std::map<std::string, int64_t>& lengths, const KernelSource& kernel, const Contract& contract,
                  Inferred& one) {
  const std::vector<Binding> bindings = with_parts(bindings_of(contract));
  const Texts& args = one.adapter.launches.at(0).args;
  const Texts open = untaken(one.adapter, contract);
  std::map<std::string, int64_t> sizes;
  for (size_t i = 0; i < std::min(args.size(), kernel.parameters.size()); ++i) {
    const auto length = lengths.find(kernel.parameters[i].name);
    const bool is_copy = args[i].starts_with("converted<");
    const std::string whole =
        is_copy ? args[i].substr(args[i].find('(') + 1, args[i].size() - args[i].find('(') - 2) : args[i];
    const auto bound = std::ranges::find(bindings, whole, &Binding::expression);
    if (length == lengths.end() || bound == bindings.end() || !bound->spec) continue;
    const ShapeText shape = bound->spec->shape_by ? bound->spec->shape_by(probe(contract)) : bound->spec->shape;
    if (shape.size() < 2 || std::ranges::find(open, shape.back()) == open.end()) continue;
    if (const auto [known, is_new] = sizes.try_emplace(shape.back(), length->second); known->second != length->second)
      return;
  }
  for (const auto& [dim, size] : sizes) {
    hold(one, dim, size);
    one.remarks.push_back(fmt::format("{} is {}, by the indices of {}.", dim, size, kernel.name));
  }
}

// The only number above 1 that the extents of a grid are multiplied by, 32 of "32 * T"; 0 where there is none.
int64_t factor_of(const Texts& grid) {
  int64_t found = 0;
  for (const std::string& extent : grid) {
    const std::vector<Token> tokens = tokens_of(extent);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool is_factor = tokens.size() > 1 && (i == 0 || token_is(tokens, i - 1, "*")) &&
                             (i + 1 == tokens.size() || token_is(tokens, i + 1, "*"));
      const int64_t number = is_factor ? number_value(tokens[i].text).value_or(1) : 1;
      if (number > 1 && found != 0) return 0;
      if (number > 1) found = number;
    }
  }
  return found;
}

// The only dim that is left is what the file's own grid has as a number.
void hold_factor(const Contract& contract, Inferred& one) {
  Texts open = untaken(one.adapter, contract);
  std::erase_if(open, [&](const std::string& name) {
    return !std::ranges::find(contract.dims, name, &DimSpec::name)->unpadded.empty();
  });
  const bool is_of_file = one.authors_line != 0 || one.filled_line != 0;
  const int64_t factor = is_of_file ? factor_of(one.adapter.launches.at(0).grid) : 0;
  if (open.size() != 1 || factor == 0) return;
  hold(one, open[0], factor);
  one.guesses.push_back(fmt::format("{} is {}", open[0], factor));
}

}  // namespace

void hold_built_in_sizes(const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                         std::vector<Inferred>& all) {
  const std::map<std::string, int64_t> lengths = built_in_row_lengths(source, kernel);
  for (Inferred& one : all) {
    if (one.adapter.launches.at(0).is_launcher) continue;
    hold_lengths(lengths, kernel, contract, one);
    hold_factor(contract, one);
  }
}

}  // namespace assay
