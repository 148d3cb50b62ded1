// Kernels that halve their block: a tree over the threads loses some of any number but a power of two.
#include "harness/adapter/bind/candidates/body.h"

namespace assay {

// blockDim.x / 2, and blockDim.x >> 1.
bool halves_its_block(const CudaSource& source, const KernelSource& kernel) {
  const Body body(source, kernel, {});
  const std::vector<Token>& tokens = body.tokens();
  for (size_t i = 0; i + 4 < tokens.size(); ++i)
    if (token_is(tokens, i, "blockDim") && token_is(tokens, i + 1, ".") && token_is(tokens, i + 2, "x") &&
        ((token_is(tokens, i + 3, "/") && token_is(tokens, i + 4, "2")) ||
         (token_is(tokens, i + 3, ">") && token_is(tokens, i + 4, ">") && token_is(tokens, i + 5, "1"))))
      return true;
  return false;
}

}  // namespace assay
