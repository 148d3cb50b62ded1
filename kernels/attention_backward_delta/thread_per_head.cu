// One thread per head of each token: the variant to read first.
//
// Neighbouring threads read D elements apart, so every warp's request touches 32 places, and a long head is one long
// chain of additions.
#include "kernels/device/grid.cuh"

namespace {

template <class T>
__global__ void attention_backward_delta(const T* grad, const T* output,  // (count, dim)
                                         float* delta,                    // (count)
                                         int64_t count, int64_t dim) {
  const int64_t head = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (head >= count) return;
  float dot = 0;
  for (int64_t i = head * dim; i < (head + 1) * dim; ++i)
    dot += static_cast<float>(grad[i]) * static_cast<float>(output[i]);
  delta[head] = dot;
}

std::optional<std::string> too_many_heads(const assay::Case& c) {
  if (c.dim("B") * c.dim("S") * c.dim("H") / *c.block >= INT32_MAX)
    return "a thread per head, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("B") * call.dim("S") * call.dim("H");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_backward_delta<T>, assay::device::thread_for_each(call, count), call.in<T>("dO"),
                  call.in<T>("O"), call.out<float>("delta"), count, call.dim("D"));
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward_delta",
                                       .name = "thread_per_head",
                                       .summary = "a thread per head of a token, one after another along D",
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = too_many_heads,
                                       .run = run});

}  // namespace
