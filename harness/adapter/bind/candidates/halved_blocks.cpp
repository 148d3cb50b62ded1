// Blocks of a power of two, for kernels that halve them: a tree over the threads loses some of any other number.
#include <algorithm>
#include <bit>

#include "harness/adapter/bind/candidates/candidate.h"

namespace assay {
namespace {

// blockDim.x / 2, and blockDim.x >> 1.
bool halves_its_block(const BodyFacts& facts) {
  return std::ranges::any_of(facts.divisions, [](const BodyDivision& each) {
    return each.of == "blockDim.x" && text_of(each.by) == (each.shifts ? "1" : "2");
  });
}

// Whether the file's launch makes its block of what is not read here, and no caller chooses it.
bool computes_block(const CudaSource& source, const KernelSource& kernel) {
  const LaunchSource* own = own_launch(source, kernel);
  if (!own || own->configuration.size() < 2) return false;
  const FunctionSource* around = function_of(source, *own);
  return !around ||
         std::ranges::find(around->parameters, own->configuration[1], &Parameter::name) == around->parameters.end();
}

}  // namespace

void keep_to_halved_blocks(std::vector<Inferred>& candidates, const CudaSource& source, const KernelSource& kernel) {
  if (!halves_its_block(kernel.facts)) return;
  for (Inferred& one : candidates) {
    const AdapterLaunch& launch = one.adapter.launches.at(0);
    std::vector<int>& blocks = one.adapter.blocks;
    if (launch.is_launcher || blocks.size() == 1 || !std::ranges::count(launch.block, "block")) continue;
    if (blocks.empty()) blocks = swept_blocks();
    std::erase_if(blocks, [](int block) { return !std::has_single_bit(static_cast<unsigned>(block)); });
    if (computes_block(source, kernel)) one.launch_guesses.emplace_back(kPowersOfTwo);
    one.remarks.push_back(kernel.name + " halves its block, which is a power of two here.");
  }
}

}  // namespace assay
