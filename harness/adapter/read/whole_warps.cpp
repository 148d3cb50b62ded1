// Looking for what only whole warps or tiles do, in the text of a kernel and of what it reaches.
#include "harness/adapter/read/whole_warps.h"

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

bool is_by_warps(const Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (token_is(tokens, i, "tiled_partition")) return true;  // of a block that its size must divide
    if (tokens[i].text.starts_with("__shfl") || tokens[i].text.starts_with("__reduce_")) return true;
    if (!token_is(tokens, i, "blockDim") || i + 4 >= tokens.size()) continue;
    const bool divided = token_is(tokens, i + 3, "/") && is_one_of(tokens[i + 4].text, {"32", "warpSize", "WARP_SIZE"});
    const bool shifted = token_is(tokens, i + 3, ">") && token_is(tokens, i + 4, ">") && token_is(tokens, i + 5, "5");
    if (divided || shifted) return true;
  }
  return false;
}

}  // namespace

bool works_by_warps(const KernelSource& kernel) {
  return is_by_warps(tokens_of(kernel.reached)) || is_by_warps(tokens_of(kernel.body));
}

}  // namespace assay
