// One block per query head, its scores in the workspace: the variant to read first.
//
// Three passes over the slots that hold a token: scores and their maximum, exponentials and their sum, weighted values.
// Heads of one group read the same keys again, and a machine with more multiprocessors than heads is mostly idle.
#include <cmath>

#include "kernels/device/block_reduce.cuh"
#include "kernels/device/decode.cuh"
#include "kernels/device/grid.cuh"

namespace {

using namespace assay::device;

// q, out: (heads, stride)  k, v: (kv_heads, capacity, stride)  scores: (heads, keys)
template <class T>
__global__ void decode(const T* q, const T* k, const T* v, T* out, float* scores, DecodeArgs args) {
  __shared__ float scratch[1024];
  const int64_t head = blockIdx.x, kv_head = head / args.group();
  const T* query = q + args.q_at(head);
  float* mine = scores + head * args.keys;

  float maximum = -INFINITY;
  for (int64_t j = threadIdx.x; j < args.keys; j += blockDim.x) {
    const T* key = k + args.kv_at(kv_head, j);
    float product = 0;
    for (int64_t d = 0; d < args.dim; ++d) product += static_cast<float>(query[d]) * static_cast<float>(key[d]);
    mine[j] = product * args.scale;
    maximum = Larger()(maximum, mine[j]);
  }
  maximum = block_reduce(maximum, scratch, Larger());

  float total = 0;
  for (int64_t j = threadIdx.x; j < args.keys; j += blockDim.x) total += mine[j] = decode_weight(mine[j], maximum);
  total = block_reduce(total, scratch, Add());  // its barriers let every thread see all weights

  T* row = out + args.q_at(head);
  for (int64_t d = threadIdx.x; d < args.stride; d += blockDim.x) {
    float sum = 0;
    for (int64_t j = 0; d < args.dim && j < args.keys; ++j)
      sum += mine[j] * static_cast<float>(v[args.kv_at(kv_head, j) + d]);
    row[d] = static_cast<T>(d < args.dim ? sum / total : 0);
  }
}

void run(assay::Call& call) {
  const DecodeArgs args = decode_args(call.c());
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(decode<T>, block_for_each(call, args.heads), call.in<T>("q"), call.in<T>("k"), call.in<T>("v"),
                  call.out<T>("out"), call.workspace<float>(), args);
  });
}

int64_t workspace_bytes(const assay::Case& c) { return c.dim("H") * c.dim("kv_tokens") * int64_t{sizeof(float)}; }

const assay::RegisterVariant kVariant({.op = "attention_decode",
                                       .name = "block_per_head",
                                       .summary = "a block per query head, scores in the workspace",
                                       .blocks = {32, 33, 64, 96, 100, 128, 256, 512, 1024},
                                       .element_at = decode_element_at,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
