// Looking for what only whole warps or tiles do, in the text of a kernel and of what it reaches.
#include "harness/adapter/whole_warps.h"

#include <map>

#include "harness/adapter/cuda_text.h"

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

bool works_by_warps(const CudaSource& source, const KernelSource& kernel) {
  std::map<std::string_view, const FunctionSource*> not_reached;
  for (const FunctionSource& function : source.functions)
    if (function.is_device) not_reached.try_emplace(function.name, &function);
  if (is_by_warps(tokens_of(kernel.reached))) return true;  // of headers, too, where a compiler has read them
  std::vector<const KernelSource*> reached = {&kernel};
  for (size_t next = 0; next < reached.size(); ++next) {
    const Tokens tokens = tokens_of(reached[next]->body);
    if (is_by_warps(tokens)) return true;
    for (const Token& token : tokens) {
      const auto function = not_reached.find(token.text);
      if (function == not_reached.end()) continue;
      reached.push_back(function->second);
      not_reached.erase(function);
    }
  }
  return false;
}

}  // namespace assay
