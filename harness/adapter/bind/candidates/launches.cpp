// The file's own launch, and what shows that it is wrong: the same arguments in another grid or in other blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/instances.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;
constexpr int64_t kUsualSharedMax = 49152;  // bytes that a launch gets without asking for more, static ones included

// Bytes of dynamic shared memory for a launch that does not say how many.
std::string shared_left(const KernelSource& kernel, int64_t static_bytes) {
  const int64_t left = kernel.facts.dynamic_shared.empty() ? 0 : kUsualSharedMax - static_bytes;
  return std::to_string(left > 0 ? left / 16 * 16 : 0);
}

// The file's own launch with the first two axes of its grid exchanged, which for squares alone is the same.
std::optional<InferredLaunch> turned(const InferredLaunch& own) {
  if (own.launch.grid.size() < 2 || own.launch.grid[0] == own.launch.grid[1]) return std::nullopt;
  InferredLaunch other = own;
  std::swap(other.launch.grid[0], other.launch.grid[1]);
  other.authors_line = 0;
  other.guesses.push_back(fmt::format("the grid is {}", fmt::join(other.launch.grid, " by ")));
  other.cost += 1;
  return other;
}

// The file's own launch in blocks of any size, where it has as many threads as a dim counts: these may be too few for
// what a block does.
std::optional<InferredLaunch> swept(const InferredLaunch& own) {
  const Texts& block = own.launch.block;
  if (block.size() != 1 || block[0] == "block" || number_value(block[0])) return std::nullopt;
  InferredLaunch other = own;
  other.authors_line = 0;
  other.launch.block = {"block"};
  other.guesses.push_back("blocks have any size");
  other.cost += 2;
  return other;
}

// The file's own launch in the grid that the kernel's indices ask for.
std::optional<InferredLaunch> by_indices(const InferredLaunch& own, const KernelSource& kernel,
                                         const std::vector<Match>& matches, const Contract& contract) {
  const Texts grid = own.authors_line == 0 ? Texts() : grid_by_indices(own, kernel, matches, contract);
  if (grid.empty() || own.launch.grid == grid) return std::nullopt;
  InferredLaunch other = own;
  other.authors_line = 0;
  other.launch.grid = grid;
  other.guesses.push_back(fmt::format("the grid is {}", fmt::join(grid, " by ")));
  other.cost += 1;
  return other;
}

}  // namespace

std::vector<InferredLaunch> launch_candidates(const CudaSource& source, const KernelSource& kernel,
                                              const BindingCandidate& candidate, const Contract& contract) {
  InferredLaunch inferred = infer_launch(source, kernel, candidate.matches, contract, candidate.template_values);
  std::vector<InferredLaunch> all;
  if (inferred.unknown.empty()) {
    for (auto other : {turned(inferred), swept(inferred), by_indices(inferred, kernel, candidate.matches, contract)})
      if (other) all.push_back(std::move(*other));
    all.push_back(std::move(inferred));
  }
  Texts given = host_template_arguments(source, kernel);
  given.resize(kernel.template_parameters.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const auto value = candidate.template_values.find(kernel.template_parameters[i].name);
    if (value != candidate.template_values.end()) given[i] = value->second;
  }
  const std::string shared = shared_left(kernel, static_shared_bytes(kernel, given));
  for (InferredLaunch& each :
       filled_launches(source, kernel, candidate.matches, contract, candidate.template_values, shared))
    all.push_back(std::move(each));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return all;
}

}  // namespace assay
