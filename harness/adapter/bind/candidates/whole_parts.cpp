// Sizes that are whole vectors and whole tiles, for kernels that have no bounds for a part of one.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/bind/element_dtypes.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/instances.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;
constexpr int64_t kTileMin = 8, kTileMax = 256;

struct Parts {
  int64_t vector = 1, tile = 0;     // elements; 0: it does not go by tiles
  std::set<std::string> ends = {};  // the dims of which a part may be left: of rows, and of all matrices by tiles
  bool without_bounds = false;
};

// The largest tile of a kernel that takes matrices by tiles: of a shared array of two axes, or a template argument.
int64_t tile_of(const CudaSource& source, const KernelSource& kernel) {
  const std::vector<BindingCandidate> templates = template_candidates(source, kernel);
  const Body body(source, kernel, templates.empty() ? BindingCandidate{} : templates.front());
  int64_t tile = body.uses("threadIdx", 'y') ? body.tile() : 0;
  if (!body.has_word("__shared__")) return tile;
  Texts arguments = host_template_arguments(source, kernel);
  if (!templates.empty())
    for (const auto& [name, value] : templates.front().template_values) arguments.push_back(value);
  for (const std::string& argument : arguments)
    if (const auto number = number_value(argument); number && *number >= kTileMin && *number <= kTileMax)
      tile = std::max(tile, *number);
  return tile;
}

Parts parts_of(const CudaSource& source, const KernelSource& kernel, const Contract& contract) {
  const Body body(source, kernel, {});
  const bool is_f32 = std::ranges::any_of(kernel.parameters, [&](const Parameter& parameter) {
    return parameter.is_pointer && kernel.template_parameters.empty() &&
           element_of_pointer(kernel, parameter).dtype == DType::f32;
  });
  Parts parts;
  if (body.vector_width() > 1) parts.vector = std::max<int64_t>(is_f32 ? 4 : 8, body.vector_width());
  parts.tile = tile_of(source, kernel);
  const bool by_tiles = parts.tile > parts.vector;
  if (!rows_of(contract).empty() && contract.dims.size() > 1) parts.ends.insert(contract.dims[1].name);
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.shape.size() > 1) parts.ends.insert(tensor.shape.back());
  for (const DimSpec& dim : contract.dims)
    if (by_tiles && is_extent(contract, dim)) parts.ends.insert(dim.name);
  parts.without_bounds =
      by_tiles && std::ranges::all_of(body.indices(), [](const AxisIndex& index) { return !index.is_compared; });
  return parts;
}

// The elements of `dim` that one block of a grid takes: 128 of "ceil_div(N, 128)" and "(N + 128 - 1) / 128"; 0 where it
// does not say.
int64_t taken_by_block(const Texts& grid, const std::string& dim) {
  for (const std::string& extent : grid) {
    const std::vector<Token> tokens = tokens_of(extent);
    if (tokens.size() < 3 || !mentions(tokens, dim)) continue;
    const bool is_call = tokens.back().text == ")" && tokens.front().text == "ceil_div";
    const Token& by = tokens[tokens.size() - (is_call ? 2 : 1)];
    const std::string_view before = tokens[tokens.size() - (is_call ? 3 : 2)].text;
    if (const auto number = number_value(by.text); number && *number > 1 && (before == "," || before == "/"))
      return *number;
  }
  return 0;
}

Texts requirements(const Parts& parts, const Contract& contract, const Adapter& adapter) {
  const int64_t part = std::max(parts.vector, parts.tile);
  Texts all;
  for (const DimSpec& dim : contract.dims) {
    if (!parts.ends.contains(dim.name)) continue;
    const int64_t taken = parts.tile == 0 ? 0 : taken_by_block(adapter.launches.at(0).grid, dim.name);
    const int64_t whole = taken > 0 ? std::lcm(taken, parts.vector) : part;
    if (whole > 1) all.push_back(fmt::format("{} % {} == 0", dim.name, whole));
  }
  return all;
}

}  // namespace

std::vector<Inferred> with_whole_parts(std::vector<Inferred> candidates, const CudaSource& source,
                                       const KernelSource& kernel, const Contract& contract) {
  const Parts parts = parts_of(source, kernel, contract);
  const size_t count = candidates.size();
  for (size_t i = 0; i < count; ++i) {
    Inferred one = candidates[i];
    const size_t before = one.adapter.requirements.size();
    for (const std::string& each : requirements(parts, contract, one.adapter))
      if (std::ranges::find(one.adapter.requirements, each) == one.adapter.requirements.end())
        one.adapter.requirements.push_back(each);
    if (one.adapter.requirements.size() == before) continue;
    one.guesses.emplace_back(kWholeRows);
    if (parts.without_bounds) {
      candidates[i] = std::move(one);
      continue;
    }
    one.cost += 1;
    candidates.push_back(std::move(one));
  }
  return candidates;
}

}  // namespace assay
