// Launches that a kernel's body admits where no launch in the file says which: the blocks and threads that each axis
// counts, the bounds that they are compared with, and the constants that stand where a block's size would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/instances.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;
constexpr std::string_view kAxes = "xyz";
constexpr size_t kLaunchesMax = 24;
constexpr int64_t kThreadsMax = 1024;       // of a block
constexpr int64_t kUsualSharedMax = 49152;  // bytes that a launch gets without asking for more, static ones included

std::string times(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + " * " + b;
}

struct BlockOption {
  Texts extents;
  std::string guess;  // "": nothing is guessed
  int cost = 0;
  Texts requirements = {};
  std::vector<Fixed> fixed = {};
  bool is_row = false;         // each block is one row, whatever the grid's index is compared with
  std::string row_guess = {};  // that right values bear out
};

// Whether a loop goes on by the block's threads, as `for (i = threadIdx.x; i < n; i += blockDim.x)` does.
bool steps_by_block(const std::vector<Token>& tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!token_is(tokens, i, "+") || !token_is(tokens, i + 1, "=")) continue;
    for (size_t at = i + 2; at < tokens.size() && !is_one_of(tokens[at].text, {")", ";", "{"}); ++at)
      if (tokens[at].text == "blockDim") return true;
  }
  return false;
}

// Blocks of one row, of which each thread has as many elements as its vectors hold.
void add_rows(const Body& body, const Texts& sizes, const Contract& contract, bool asks,
              std::vector<BlockOption>& options) {
  if (rows_of(contract).empty() || contract.dims.size() < 2) return;
  const std::string cols = contract.dims[1].name;
  const auto guess = [](const std::string& block) { return "the block is " + block; };
  const int64_t vector = body.vector_width();
  // A thread without a loop has its elements and no others, and a block of such threads that work together is a row.
  const int looped = body.has_open_loop() ? 2 : body.cooperates() ? -1 : 0;
  const std::string each = vector == 1 ? cols : fmt::format("{} / {}", cols, vector);
  const Texts whole_warps = {fmt::format("{} > 0", cols), fmt::format("{} <= {}", cols, 1024 * vector),
                             fmt::format("{} % {} == 0", cols, 32 * vector)};
  // A kernel that walks its row takes any: with a thread for each element no second step would be seen.
  if (!asks || !steps_by_block(body.tokens()))
    options.push_back({{each}, guess(each), looped + (asks ? 1 : 2), whole_warps, {}, true});
  const std::string own = body.size_in_index();
  for (const std::string& size : sizes)
    for (const int64_t width : {vector, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}})
      if (std::stoi(size) >= 32 && (width == vector || vector > 1))
        options.push_back({{size},
                           size == own ? "" : guess(size),
                           looped + (width == vector ? 0 : 3),
                           {},
                           {{cols, std::to_string(std::stoll(size) * width)}},
                           true,
                           size == own ? fmt::format("a block of {} threads is a row", size) : ""});
}

// `declared`: the most threads, as the kernel says; 0: it does not.
std::vector<BlockOption> block_options(const Body& body, int64_t declared, const Contract& contract) {
  std::vector<BlockOption> options;
  Texts sizes = body.built_in_sizes();
  if (declared > 0) std::erase_if(sizes, [&](const std::string& size) { return std::stoll(size) > declared; });
  const auto guess = [](const Texts& extents) { return fmt::format("the block is {}", fmt::join(extents, " by ")); };
  const auto add = [&](Texts extents, int cost) { options.push_back({extents, guess(extents), cost}); };
  const int64_t x = body.threads_along('x'), y = body.threads_along('y');
  if (body.uses("threadIdx", 'y') || body.uses("blockDim", 'y')) {
    const std::string step = body.step();
    if (step.empty() && x > 0 && y > 0 && x * y <= kThreadsMax)
      options.push_back({{std::to_string(x), std::to_string(y)}, "", 0});
    for (const std::string& size : sizes) {
      if (!step.empty() && step != size && std::stoll(size) * std::stoll(step) <= kThreadsMax) add({size, step}, 1);
      if (std::stoi(size) <= 32) add({size, size}, step.empty() ? 1 : 2);
    }
    const bool free = sizes.empty() && !body.has_word("__shared__") && !body.has_word("__syncthreads");
    if (sizes.empty()) options.push_back({{"16", "16"}, free ? "" : guess({"16", "16"}), 0});
    add({"32", "8"}, 3);
    add({"32", "32"}, 3);
    return options;
  }
  const bool asks = body.uses("blockDim", 'x') || body.has_word("meta_group_size");
  if (asks) options.push_back({{"block"}, "", 0});
  if (asks)
    for (const std::string& size : sizes)
      if (std::stoi(size) >= 32) add({size}, 2);
  const bool warp = body.has_word("__shfl_down_sync") || body.has_word("__shfl_xor_sync");
  if (!asks) {
    for (const std::string& size : sizes) add({size}, std::stoi(size) >= 32 ? 1 : 3);
    if (!body.uses("threadIdx", 'x')) options.push_back({{"1"}, "", 0});
    if (warp) add({"32"}, 2);
    // A file that declares a block's size and never reads it mostly has a block of that size.
    if (declared > 0 && std::find(sizes.begin(), sizes.end(), std::to_string(declared)) == sizes.end())
      add({std::to_string(declared)}, 1);
    const int unusual = body.has_word("__shared__") && !warp ? 1 : 3;  // threads of a tile are seldom its extents
    for (const int64_t usual : {256, 128, 1024})
      if (declared == 0 || usual < declared) add({std::to_string(usual)}, usual == 256 ? unusual : 3);
  }
  add_rows(body, sizes, contract, asks, options);
  return options;
}

bool mentions_block(const std::string& text) {
  const std::vector<Token> tokens = tokens_of(text);
  return std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.text == "block"; });
}

// Extents of a grid along one axis.
struct GridOption {
  std::string extent = "1";
  std::string guess;
  int cost = 0;
  Texts requirements = {};
};

std::vector<GridOption> grid_options(const Body& body, char axis, const BlockOption& block, const Contract& contract) {
  if (!body.uses("blockIdx", axis)) return {{}};
  if (block.is_row && axis == 'x' && !body.uses("blockIdx", 'y')) return {{rows_of(contract), "", 0}};
  std::vector<GridOption> options;
  const auto unit = [&](const AxisIndex& index) {
    const size_t counted = index.counted_by ? kAxes.find(index.counted_by) : 3;
    const std::string steps = times(counted < block.extents.size() ? block.extents[counted] : "", index.constant);
    return index.each == 1 ? steps : times(steps, std::to_string(index.each));
  };
  const auto over = [&](const std::string& bound, const std::string& by) {
    return by.empty() || by == "1" ? bound : fmt::format("ceil_div({}, {})", bound, by);
  };
  const AxisIndex* index = nullptr;
  const auto says = [](const AxisIndex& each) {  // how much it says of the grid
    return each.bound.empty() ? (each.constant.empty() ? 0 : 1) : 2;
  };
  for (const AxisIndex& each : body.indices())
    if (each.axis == axis && (!index || says(*index) < says(each))) index = &each;
  if (!index) return {{}};
  const std::string by = unit(*index);
  if (by == "0") return {{}};  // of a size that is taken as 0
  if (!index->bound.empty()) options.push_back({over(index->bound, by), "", 0});
  Texts extents;
  for (const DimSpec& dim : contract.dims) extents.push_back(dim.name);
  if (axis != 'x') std::reverse(extents.begin(), extents.end());
  // blockIdx.x * cols counts the elements before a row: there are as many blocks as rows.
  const bool is_row = std::erase(extents, by) > 0;
  const bool two = body.uses("blockIdx", 'y');
  if (two && axis == 'x') std::reverse(extents.begin(), extents.end());
  if (two && axis == 'y') std::reverse(extents.begin(), extents.end());
  const auto is_of_outputs = [&](const std::string& extent) {
    return std::ranges::any_of(contract.tensors, [&](const TensorSpec& tensor) {
      return tensor.role != Role::input && std::ranges::find(tensor.shape, extent) != tensor.shape.end();
    });
  };
  std::ranges::stable_partition(extents, is_of_outputs);  // blocks mostly share out what they write
  int cost = index->bound.empty() ? 1 : 4;
  if (!two && extents.size() > 1) extents.push_back(extents[0] + " * " + extents[1]);
  for (const std::string& extent : extents) {
    if (extent == index->bound) continue;
    const std::string blocks = is_row ? extent : over(extent, by);
    GridOption option{blocks, fmt::format("the grid's {} is {}", axis, blocks), cost++};
    if (index->bound.empty() && !by.empty() && by != "1" && by.find_first_not_of("0123456789") == std::string::npos)
      option.requirements.push_back(fmt::format("{} % {} == 0", extent, by));
    GridOption whole = option;
    options.push_back(std::move(option));
    if (!index->bound.empty() || !mentions_block(by)) continue;
    whole.requirements.push_back(
        fmt::format("{} % {} == 0", extent,
                    by.find(' ') == std::string::npos ? by : "(" + by + ")"));  // nothing stops threads behind the end
    whole.cost += 1;
    options.push_back(std::move(whole));
  }
  if (!two && (options.empty() || options.front().extent != "1")) options.push_back({"1", "one block", cost + 1});
  return options;
}

// Bytes of dynamic shared memory, for a kernel that has some.
std::vector<std::pair<std::string, int>> shared_options(const KernelSource& kernel, int64_t static_bytes) {
  if (dynamic_shared_of(kernel).empty()) return {{"0", 0}};
  const int64_t left = kUsualSharedMax - static_bytes;
  return {{std::to_string(left > 0 ? left / 16 * 16 : 0), 0}};
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

}  // namespace

std::vector<InferredLaunch> launch_candidates(const CudaSource& source, const KernelSource& kernel,
                                              const BindingCandidate& candidate, const Contract& contract) {
  std::vector<InferredLaunch> all;
  InferredLaunch inferred = infer_launch(source, kernel, candidate.matches, contract, candidate.template_values);
  const bool whole_warps = inferred.whole_warps;
  const Texts own_block = inferred.launch.block;
  if (inferred.unknown.empty()) {
    for (auto other : {turned(inferred), swept(inferred)})
      if (other) all.push_back(std::move(*other));
    all.push_back(std::move(inferred));
  }
  const Body body(source, kernel, candidate);
  Texts given = host_template_arguments(source, kernel);
  given.resize(kernel.template_parameters.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const auto value = candidate.template_values.find(kernel.template_parameters[i].name);
    if (value != candidate.template_values.end()) given[i] = value->second;
  }
  const auto shared_bytes = shared_options(kernel, static_shared_bytes(kernel, given));
  for (InferredLaunch& each : filled_launches(source, kernel, candidate.matches, contract, candidate.template_values,
                                              shared_bytes.front().first))
    all.push_back(std::move(each));
  std::vector<BlockOption> blocks = block_options(body, declared_threads(kernel, given), contract);
  // The file's own block may be right in another grid than its own, which holds for squares alone, or is not
  // understood.
  const auto is_number = [](const std::string& extent) { return number_value(extent).has_value(); };
  const bool is_known = std::ranges::find(blocks, own_block, &BlockOption::extents) != blocks.end();
  if (!own_block.empty() && !is_known && std::ranges::all_of(own_block, is_number)) {
    blocks.push_back({own_block, "", 0});
    if (own_block.size() == 1 && !rows_of(contract).empty())
      blocks.push_back({.extents = own_block, .guess = "", .is_row = true, .row_guess = "a block takes a row"});
  }
  for (const BlockOption& block : blocks)
    for (const GridOption& x : grid_options(body, 'x', block, contract))
      for (const GridOption& y : grid_options(body, 'y', block, contract))
        for (const auto& [shared, shared_cost] : shared_bytes) {
          InferredLaunch launch;
          launch.whole_warps = whole_warps;
          launch.is_guess = true;
          launch.launch.grid = {x.extent};
          if (y.extent != "1") launch.launch.grid.push_back(y.extent);
          launch.launch.block = block.extents;
          launch.launch.shared = shared;
          launch.cost = 1 + block.cost + x.cost + y.cost + shared_cost;
          for (const std::string& guess : {block.guess, x.guess, y.guess})
            if (!guess.empty()) launch.guesses.push_back(guess);
          if (shared != "0") launch.guesses.push_back(fmt::format("{} bytes of dynamic shared memory suffice", shared));
          for (const Texts* texts : {&block.requirements, &x.requirements, &y.requirements})
            launch.requirements.insert(launch.requirements.end(), texts->begin(), texts->end());
          launch.fixed = block.fixed;
          if (!block.row_guess.empty()) launch.row_guesses.push_back(block.row_guess);
          all.push_back(std::move(launch));
        }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (all.size() > kLaunchesMax) all.resize(kLaunchesMax);
  return all;
}

}  // namespace assay
