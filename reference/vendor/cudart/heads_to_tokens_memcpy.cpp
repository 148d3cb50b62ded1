// heads_to_tokens: the tokens of each head as rows that are copied to every H-th place.
#include "harness/tensor/dtype.h"
#include "reference/vendor/cudart/copies.h"

namespace assay::vendor {
namespace {

int64_t head_bytes(const Case& c) { return c.dim("ad") * static_cast<int64_t>(size_of(c.dtype)); }

void run(Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T"), width = head_bytes(call.c());
  for (int64_t h = 0; h < heads; ++h)
    copy_rows(call.out<char>("out") + h * width, heads * width, call.in<char>("in") + h * tokens * width, width, width,
              tokens);
}

const RegisterVariant kVariant({.op = "heads_to_tokens",
                                .name = "cuda_memcpy_2d",
                                .summary = "cudaMemcpy2DAsync for each head",
                                .vendor = "CUDA",
                                .unsupported = [](const Case& c) { return refused_pitch(c.dim("H") * head_bytes(c)); },
                                .run = run});

}  // namespace
}  // namespace assay::vendor
