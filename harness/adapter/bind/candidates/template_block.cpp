// A template argument that is the block's size: the kernel is an instance for that block and for no other.
#include <algorithm>
#include <cctype>
#include <set>

#include "harness/adapter/bind/candidates/candidate.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/expression.h"

namespace assay {
namespace {

// BLOCK_DIM, BLOCK_SIZE, kThreads, NUM_THREADS.
bool is_named_block_size(const std::string& name) {
  const bool prefixed = name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  return is_block_size({"int", prefixed ? name.substr(1) : name});
}

}  // namespace

int64_t threads_by_steps(const CudaSource& source, const KernelSource& kernel) {
  const BodyFacts& facts = kernel.facts;
  if (facts.uses("threadIdx", "yz") || facts.uses("blockDim", "yz")) return 0;
  const Names names = constants_of(source);
  std::set<int64_t> all;
  for (const BodyVariable& each : facts.variables) {
    if (each.begin.size() != 1 || only_factor({Term{1, each.begin[0].factors, each.begin[0].of}}) != "threadIdx.x")
      continue;
    for (const Terms& step : each.steps) {
      const auto text = resolved(tokens_of(text_of(step)), names);
      const int64_t by = text ? number_value(*text).value_or(0) : 0;
      all.insert(by % each.begin[0].times == 0 ? by / each.begin[0].times : 0);
    }
  }
  constexpr int64_t kThreadsMax = 1024, kWarp = 32;
  if (all.size() != 1 || *all.begin() > kThreadsMax) return 0;
  const bool may_be_a_part = *all.begin() <= kWarp && facts.uses("blockDim");  // the first warp's loop
  return may_be_a_part || *all.begin() == 1 ? 0 : *all.begin();
}

int64_t threads_in_shared(const CudaSource& source, const KernelSource& kernel) {
  constexpr int64_t kWarp = 32, kThreadsMax = 1024;  // an array of 32 has an element for each warp of any block
  const Names names = constants_of(source);
  int64_t least = kThreadsMax;
  for (const SharedArray& array : kernel.facts.shared) {
    if (array.extents.size() != 1) continue;
    const auto text = resolved(tokens_of(array.extents[0]), names);
    const int64_t size = text ? number_value(*text).value_or(0) : 0;
    if (array.written_by_thread && size > kWarp) least = std::min(least, size);
  }
  return least < kThreadsMax ? least : 0;
}

std::optional<TemplateBlock> block_of_template(const CudaSource& source, const KernelSource& kernel,
                                               const std::vector<std::string>& arguments) {
  if (kernel.facts.uses("threadIdx", "y") || kernel.facts.uses("blockDim", "y")) return std::nullopt;
  const Names constants = constants_of(source);
  const std::vector<SharedArray>& arrays = kernel.facts.shared;
  std::optional<TemplateBlock> likely;
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const std::string& name = kernel.template_parameters[i].name;
    const auto text =
        resolved(tokens_of(i < arguments.size() ? arguments[i] : kernel.template_parameters[i].by_default), constants);
    const auto size = text ? number_value(*text) : std::nullopt;
    if (!size || *size < 1 || *size > 1024) continue;
    const bool is_named = is_named_block_size(name);
    const bool by_thread = std::ranges::any_of(arrays, [&](const SharedArray& array) {  // float s[SIZE]
      return array.extents == std::vector<std::string>{name} && array.by_thread;
    });
    const bool in_parts = std::ranges::any_of(arrays, [&](const SharedArray& array) {  // float s[SIZE / 32]
      return !array.extents.empty() && array.extents[0].starts_with(name + " / ");
    });
    if (is_named && (by_thread || in_parts)) return TemplateBlock{static_cast<int>(*size), name, true};
    if ((is_named || by_thread) && !likely) likely = TemplateBlock{static_cast<int>(*size), name, false};
  }
  return likely;
}

}  // namespace assay
