// Launches that a kernel's body admits where no launch in the file says which: the blocks and threads that each axis
// counts, the bounds that they are compared with, and the constants that stand where a block's size would.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/adapter/body_indices.h"
#include "harness/adapter/ways/way.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;
using Texts = std::vector<std::string>;
constexpr std::string_view kAxes = "xyz";
constexpr size_t kLaunchesMax = 24;
constexpr const char* kUsualSharedMax = "49152";  // bytes that a launch gets without asking for more

// One index that a body computes from its blocks along an axis.
struct AxisIndex {
  char axis = 'x';
  char threads = 0;      // the axis of the threads that it counts as well; 0: none
  char counted_by = 0;   // blockDim's axis in the factor; 0: none
  std::string constant;  // the rest of the factor: "TILE" as its number; "" where there is none
  std::string bound;     // "" where it is compared with nothing that is known
};

bool is_axis(const Tokens& tokens, size_t i, std::string_view builtin) {
  return token_is(tokens, i, builtin) && token_is(tokens, i + 1, ".") && i + 2 < tokens.size() &&
         kAxes.find(tokens[i + 2].text) != std::string_view::npos && tokens[i + 2].text.size() == 1;
}

bool mentions(const Tokens& tokens, std::string_view builtin, char axis) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (is_axis(tokens, i, builtin) && tokens[i + 2].text[0] == axis) return true;
  return false;
}

std::string times(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + " * " + b;
}

class Body {
 public:
  Body(const CudaSource& source, const KernelSource& kernel, const Way& way)
      : kernel_(kernel), scope_{names_in_kernel(source, kernel, way.matches), tokens_of(kernel.body)} {
    for (const auto& [name, value] : way.template_values) scope_.names.try_emplace(name, value);
    const Texts host = host_template_arguments(source, kernel);
    for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
      const std::string& text = i < host.size() ? host[i] : kernel.template_defaults[i];
      if (const auto value = resolved(tokens_of(text), scope_); !text.empty() && value)
        scope_.names.try_emplace(kernel.template_parameters[i], *value);
    }
    for (size_t i = 0; i < tokens().size(); ++i)
      if (is_axis(tokens(), i, "blockIdx")) read(i);
  }

  const Tokens& tokens() const { return scope_.text; }
  const Scope& scope() const { return scope_; }
  const std::vector<AxisIndex>& indices() const { return indices_; }
  // Numbers that the template's parameters stand for.
  Texts template_sizes() const {
    Texts sizes;
    for (const std::string& name : kernel_.template_parameters)
      if (const auto value = scope_.names.find(name); value != scope_.names.end()) sizes.push_back(value->second);
    return sizes;
  }
  bool uses(std::string_view builtin, char axis) const { return mentions(tokens(), builtin, axis); }
  bool has_word(std::string_view word) const {
    return std::any_of(tokens().begin(), tokens().end(), [&](const Token& t) { return t.text == word; });
  }

 private:
  // The statement around blockIdx.A at token i.
  void read(size_t i) {
    size_t begin = i, end = i;
    while (begin > 0 && !is_one_of(tokens()[begin - 1].text, {";", "{", "}", ",", "=", "["})) --begin;
    while (end < tokens().size() && !is_one_of(tokens()[end].text, {";", ",", "]", "<", "="})) ++end;
    AxisIndex index;
    index.axis = tokens()[i + 2].text[0];
    for (size_t at = begin; at < end; ++at)
      if (is_axis(tokens(), at, "threadIdx") && index.threads == 0) index.threads = tokens()[at + 2].text[0];
    if (token_is(tokens(), i + 3, "*")) factor(i + 4, end, +1, index);
    if (i > 0 && token_is(tokens(), i - 1, "*")) factor(begin, i - 1, 0, index);
    const bool defined = begin > 1 && token_is(tokens(), begin - 1, "=");
    if (defined && tokens()[begin - 2].is_word()) index.bound = bound_of(tokens()[begin - 2].text, end);
    indices_.push_back(std::move(index));
  }

  // The factors of the product in [begin, end).
  void factor(size_t begin, size_t end, int, AxisIndex& index) {
    for (size_t at = begin; at < end && !is_one_of(tokens()[at].text, {"+", "-"}); ++at) {
      if (is_axis(tokens(), at, "blockDim")) {
        index.counted_by = tokens()[at + 2].text[0];
        at += 2;
      } else if (!is_one_of(tokens()[at].text, {"*", "(", ")", "size_t", "int", "int64_t"})) {
        const auto value = resolved({tokens()[at]}, scope_);
        index.constant = times(index.constant, value ? *value : "");
      }
    }
  }

  std::string bound_of(std::string_view name, size_t begin) const {
    for (size_t i = begin; i < tokens().size(); ++i) {
      if (tokens()[i].text != name) continue;
      const Tokens bound = compared_with(tokens(), i);
      if (bound.empty()) continue;
      const auto text = resolved(bound, scope_);
      if (text) return *text;
    }
    return "";
  }

  const KernelSource& kernel_;
  Scope scope_;
  std::vector<AxisIndex> indices_;
};

struct BlockOption {
  Texts extents;
  std::string guess;  // "": nothing is guessed
  int cost = 0;
  Texts requirements = {};
  std::vector<Fixed> fixed = {};
};

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Numbers that the body has in place of a block's size.
std::vector<std::string> built_in_sizes(const Body& body) {
  Texts sizes;
  const auto add = [&](const std::string& text) {
    if (is_number(text) && text.size() <= 4 && std::find(sizes.begin(), sizes.end(), text) == sizes.end() &&
        std::stoi(text) > 1 && std::stoi(text) <= 1024)
      sizes.push_back(text);
  };
  for (const AxisIndex& index : body.indices())
    if (index.threads != 0) add(index.constant);
  for (const std::string& size : body.template_sizes()) add(size);
  const Tokens& tokens = body.tokens();
  for (size_t i = 0; i + 3 < tokens.size(); ++i)
    if (token_is(tokens, i, "__shared__"))
      for (size_t at = i; at < tokens.size() && !token_is(tokens, at, ";"); ++at)
        if (token_is(tokens, at, "["))
          if (const auto value = resolved({tokens[at + 1]}, body.scope())) add(*value);
  return sizes;
}

// A step of a loop over the rows of a tile: j += BLOCK_ROWS.
std::string step_of(const Body& body) {
  const Tokens& tokens = body.tokens();
  for (size_t i = 0; i + 3 < tokens.size(); ++i)
    if (token_is(tokens, i, "+") && token_is(tokens, i + 1, "=") && token_is(tokens, i + 3, ")"))
      if (const auto value = resolved({tokens[i + 2]}, body.scope()); value && is_number(*value)) return *value;
  return "";
}

// Elements that a thread takes at once, as its vector types say.
int vector_width(const Body& body) {
  for (const auto& [word, width] : {std::pair{"LDST128BITS", 8},
                                    {"float4", 4},
                                    {"FLOAT4", 4},
                                    {"int4", 4},
                                    {"uint4", 4},
                                    {"float2", 2},
                                    {"half2", 2},
                                    {"HALF2", 2},
                                    {"__nv_bfloat162", 2}})
    if (body.has_word(word)) return width;
  return 1;
}

// Blocks of one row, of which each thread has as many elements as its vectors hold.
void add_rows(const Body& body, const Texts& sizes, const Contract& contract, bool asks,
              std::vector<BlockOption>& options) {
  if (rows_of(contract).empty() || contract.dims.size() < 2) return;
  const std::string cols = contract.dims[1].name;
  const auto guess = [](const std::string& block) { return "the block is " + block; };
  const int vector = vector_width(body);
  const int looped = body.has_word("for") ? 2 : 0;  // a thread without a loop has its elements and no others
  const std::string each = vector == 1 ? cols : fmt::format("{} / {}", cols, vector);
  options.push_back({{each},
                     guess(each),
                     looped + (asks ? 1 : 2),
                     {fmt::format("{} <= {}", cols, 1024 * vector), fmt::format("{} % {} == 0", cols, 32 * vector)}});
  for (const std::string& size : sizes)
    for (const int width : {vector, 1, 2, 4, 8})
      if (std::stoi(size) >= 32 && (width == vector || vector > 1))
        options.push_back({{size},
                           guess(size),
                           looped + (width == vector ? 0 : 3),
                           {},
                           {{cols, std::to_string(std::stoll(size) * width)}}});
}

std::vector<BlockOption> block_options(const Body& body, const Contract& contract) {
  std::vector<BlockOption> options;
  const Texts sizes = built_in_sizes(body);
  const auto guess = [](const Texts& extents) { return fmt::format("the block is {}", fmt::join(extents, " by ")); };
  const auto add = [&](Texts extents, int cost) { options.push_back({extents, guess(extents), cost}); };
  if (body.uses("threadIdx", 'y') || body.uses("blockDim", 'y')) {
    const std::string step = step_of(body);
    for (const std::string& size : sizes) {
      if (!step.empty() && step != size) add({size, step}, 1);
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
    for (const std::string& size : sizes) add({size}, 1);
    if (!body.uses("threadIdx", 'x')) options.push_back({{"1"}, "", 0});
    if (warp) add({"32"}, 2);
    for (const char* usual : {"256", "128", "1024"}) add({usual}, 3);
  }
  add_rows(body, sizes, contract, asks, options);
  return options;
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
  std::vector<GridOption> options;
  const auto unit = [&](const AxisIndex& index) {
    const size_t counted = index.counted_by ? kAxes.find(index.counted_by) : 3;
    return times(counted < block.extents.size() ? block.extents[counted] : "", index.constant);
  };
  const auto over = [&](const std::string& bound, const std::string& by) {
    return by.empty() || by == "1" ? bound : fmt::format("ceil_div({}, {})", bound, by);
  };
  const AxisIndex* index = nullptr;
  for (const AxisIndex& each : body.indices())
    if (each.axis == axis && (!index || (index->bound.empty() && !each.bound.empty()))) index = &each;
  if (!index) return {{}};
  const std::string by = unit(*index);
  if (!index->bound.empty()) options.push_back({over(index->bound, by), "", 0});
  Texts extents;
  for (const DimSpec& dim : contract.dims) extents.push_back(dim.name);
  if (axis != 'x') std::reverse(extents.begin(), extents.end());
  const bool two = body.uses("blockIdx", 'y');
  const std::string rows = rows_of(contract);
  if (two && axis == 'x') std::reverse(extents.begin(), extents.end());
  if (two && axis == 'y') std::reverse(extents.begin(), extents.end());
  int cost = index->bound.empty() ? 1 : 4;
  if (!two && extents.size() > 1) extents.push_back(extents[0] + " * " + extents[1]);
  for (const std::string& extent : extents) {
    if (extent == index->bound) continue;
    GridOption option{over(extent, by), fmt::format("the grid's {} is {}", axis, over(extent, by)), cost++};
    if (index->bound.empty() && !by.empty() && is_number(by))
      option.requirements.push_back(fmt::format("{} % {} == 0", extent, by));
    options.push_back(std::move(option));
  }
  if (!two && options.front().extent != "1") options.push_back({"1", "one block", cost + 1});
  return options;
}

// Bytes of dynamic shared memory, for a kernel that has some.
std::vector<std::pair<std::string, int>> shared_options(const Body& body) {
  const Tokens& tokens = body.tokens();
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!token_is(tokens, i, "extern") || !token_is(tokens, i + 1, "__shared__")) continue;
    return {{kUsualSharedMax, 0}};
  }
  return {{"0", 0}};
}

Texts vector_requirements(const Body& body, const Contract& contract) {
  const int width = vector_width(body);
  Texts all;
  if (width > 1)
    for (const DimSpec& dim : contract.dims) all.push_back(fmt::format("{} % {} == 0", dim.name, std::max(width, 4)));
  return all;
}

}  // namespace

std::vector<InferredLaunch> launch_candidates(const CudaSource& source, const KernelSource& kernel, const Way& way,
                                              const Contract& contract) {
  std::vector<InferredLaunch> all;
  InferredLaunch inferred = infer_launch(source, kernel, way.matches, contract);
  const bool whole_warps = inferred.whole_warps;
  if (inferred.unknown.empty()) all.push_back(std::move(inferred));
  const Body body(source, kernel, way);
  const Texts vectors = vector_requirements(body, contract);
  for (const BlockOption& block : block_options(body, contract))
    for (const GridOption& x : grid_options(body, 'x', block, contract))
      for (const GridOption& y : grid_options(body, 'y', block, contract))
        for (const auto& [shared, shared_cost] : shared_options(body)) {
          InferredLaunch launch;
          launch.whole_warps = whole_warps;
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
          all.push_back(launch);
          if (vectors.empty()) continue;
          launch.cost += 1;
          launch.requirements.insert(launch.requirements.end(), vectors.begin(), vectors.end());
          launch.guesses.push_back("rows hold whole vectors");
          all.push_back(std::move(launch));
        }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (all.size() > kLaunchesMax) all.resize(kLaunchesMax);
  return all;
}

}  // namespace assay
