// Sizes that are whole vectors and whole tiles, for kernels that have no bounds for a part of one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/bind/element_dtypes.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/bind/probe.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/body_indices.h"
#include "harness/adapter/read/instances.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;
constexpr int64_t kTileMin = 8, kTileMax = 256;
constexpr int kLessLikely = 2;  // in units of cost

void add_once(const std::string& text, Texts& all) {
  if (std::ranges::find(all, text) == all.end()) all.push_back(text);
}

struct Parts {
  int64_t vector = 1, tile = 0;               // elements; 0: it does not go by tiles
  std::map<std::string, int64_t> steps = {};  // by parameters
  std::set<std::string> ends = {};      // the dims of which a part may be left: of rows, and of all matrices by tiles
  std::set<std::string> guarding = {};  // parameters that keep a part of a tile, or a vector, from being touched
  bool without_bounds = false;
};

// The largest tile of a kernel that takes matrices by tiles: of a shared array of two axes, or a template argument.
int64_t tile_of(const CudaSource& source, const KernelSource& kernel) {
  const std::vector<BindingCandidate> templates = template_candidates(source, kernel);
  const Body body(source, kernel, templates.empty() ? BindingCandidate{} : templates.front());
  int64_t tile = kernel.facts.uses("threadIdx", "y") ? body.tile() : 0;
  if (kernel.facts.shared.empty()) return tile;
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
  parts.steps = body.steps();
  for (const TensorSpec& tensor : contract.tensors)
    if (const ShapeText shape = tensor.shape_by ? tensor.shape_by(probe(contract)) : tensor.shape; shape.size() > 1)
      parts.ends.insert(shape.back());
  for (const DimSpec& dim : contract.dims)
    if (by_tiles && is_extent(contract, dim)) parts.ends.insert(dim.name);
  parts.guarding = parts.vector == 1 ? guarding_names(kernel.facts) : names_with_rests(kernel.facts);
  parts.without_bounds = by_tiles && !body.has_bounds();
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

// The arguments in the order of the kernel's parameters, where a launcher is called: what that passes on, "" for what
// it computes.
Texts passed_to(const CudaSource& source, const KernelSource& kernel, const AdapterLaunch& launch) {
  if (!launch.is_launcher) return launch.args;
  const FunctionSource* launcher = find_launcher(source, kernel_of(launch.entry));
  const auto made = std::ranges::find_if(source.launches, [&](const LaunchSource& each) {
    return launcher && function_of(source, each) == launcher && kernel_of(each.kernel) == kernel.name;
  });
  Texts all(kernel.parameters.size());
  if (made == source.launches.end()) return all;
  for (size_t i = 0; i < std::min(all.size(), made->arguments.size()); ++i) {
    const auto own = std::ranges::find(launcher->parameters, made->arguments[i], &Parameter::name);
    const auto place = static_cast<size_t>(own - launcher->parameters.begin());
    if (place < launch.args.size()) all[i] = launch.args[place];
  }
  return all;
}

Texts requirements(const Parts& parts, const CudaSource& source, const KernelSource& kernel, const Contract& contract,
                   const Adapter& adapter) {
  const AdapterLaunch& launch = adapter.launches.at(0);
  const Texts args = passed_to(source, kernel, launch);
  Texts all;
  // A grid that is rounded up has parts of tiles, which a kernel that has bounds at all is to keep to.
  const bool has_parts = !parts.without_bounds && std::ranges::any_of(launch.grid, is_rounded_up);
  const int64_t part = has_parts ? parts.vector : std::max(parts.vector, parts.tile);
  for (const DimSpec& dim : contract.dims) {
    const int64_t taken = parts.tile == 0 || has_parts ? 0 : taken_by_block(launch.grid, dim.name);
    const auto held = std::ranges::find(adapter.fixed, dim.name, &Fixed::name);  // rows that are cols
    bool is_guarded = false;
    for (size_t i = 0; i < std::min(args.size(), kernel.parameters.size()); ++i)
      is_guarded |= (args[i] == dim.name || (held != adapter.fixed.end() && args[i] == held->value)) &&
                    parts.guarding.contains(kernel.parameters[i].name);
    if (is_guarded) continue;  // what is wrong with a part is a bug
    int64_t whole = !parts.ends.contains(dim.name) ? 1 : taken > 0 ? std::lcm(taken, parts.vector) : part;
    for (size_t i = 0; i < std::min(args.size(), kernel.parameters.size()); ++i)
      if (const auto step = parts.steps.find(kernel.parameters[i].name);
          step != parts.steps.end() && args[i] == dim.name)
        whole = std::lcm(whole, step->second);
    if (whole > 1) all.push_back(fmt::format("{} % {} == 0", dim.name, whole));
  }
  return all;
}

// The count that a grid shares out, and how much of it a block takes: (T * E) and 256 of "ceil_div(T * E, 256)" and of
// "((T * E) + 255) / 256".
std::optional<std::pair<std::string, std::string>> shared_out(const std::string& extent) {
  const std::vector<Token> tokens = tokens_of(extent);
  if (tokens.size() < 5) return std::nullopt;
  const bool is_call = tokens.front().text == "ceil_div" && closing(tokens, 1) == tokens.size() - 1;
  const size_t by = tokens.size() - (is_call ? 2 : 1), sign = by - 1, begin = is_call ? 2 : 1;
  if (tokens[sign].text != (is_call ? "," : "/") || !number_value(tokens[by].text)) return std::nullopt;
  size_t end = sign;
  if (!is_call) {
    if (tokens.front().text != "(" || closing(tokens, 0) != sign - 1) return std::nullopt;
    end = sign - 1;
    for (size_t i = begin; i < sign - 1; i = is_one_of(tokens[i].text, {"("}) ? closing(tokens, i) + 1 : i + 1)
      if (tokens[i].text == "+") {
        end = i;
        break;
      }
  }
  const size_t behind = tokens[end - 1].at + tokens[end - 1].text.size();
  const std::string all = extent.substr(tokens[begin].at, behind - tokens[begin].at);
  return std::pair(end == begin + 1 || closing(tokens, begin) == end - 1 ? all : "(" + all + ")",
                   std::string(tokens[by].text));
}

// The file's own launch where its blocks are whole, for a kernel whose threads wait for each other: with a part of a
// block some may not come to a barrier. It is asked for when that is found.
void add_whole_blocks(const CudaSource& source, const KernelSource& kernel, std::vector<Inferred>& all) {
  if (!Body(source, kernel, {}).cooperates()) return;
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    if (all[i].authors_line == 0) continue;
    Inferred one = all[i];
    for (const std::string& extent : one.adapter.launches.at(0).grid)
      if (const auto shared = shared_out(extent); shared && number_value(shared->second) > 1)
        add_once(fmt::format("{} % {} == 0", shared->first, shared->second), one.adapter.requirements);
    if (one.adapter.requirements.size() == all[i].adapter.requirements.size()) continue;
    one.guesses.emplace_back(kWholeBlocks);
    one.cost += kLessLikely;
    all.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Inferred> with_whole_parts(std::vector<Inferred> candidates, const CudaSource& source,
                                       const KernelSource& kernel, const Contract& contract) {
  const Parts parts = parts_of(source, kernel, contract);
  const size_t count = candidates.size();
  for (size_t i = 0; i < count; ++i) {
    candidates[i].has_rests = parts.vector > 1 && !parts.guarding.empty();
    Inferred one = candidates[i];
    const size_t before = one.adapter.requirements.size();
    for (const std::string& each : requirements(parts, source, kernel, contract, one.adapter))
      add_once(each, one.adapter.requirements);
    if (one.adapter.requirements.size() == before) continue;
    one.guesses.emplace_back(kWholeRows);
    if (parts.without_bounds) {
      candidates[i] = std::move(one);
      continue;
    }
    one.cost += 1;
    candidates.push_back(std::move(one));
  }
  add_whole_blocks(source, kernel, candidates);
  return candidates;
}

}  // namespace assay
