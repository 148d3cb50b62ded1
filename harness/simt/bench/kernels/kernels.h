// The kernels that measure the executor, as functions of the host. Pointers are to plain memory.
#pragma once

#include <cstdint>

namespace assay::bench {

// (a) One block of 256 threads for each row, two values reduced through shared memory: 9 barriers.
void softmax_backward(float* dx, const float* y, const float* g, int rows, int cols);  // (rows, cols) f32

// (b) One block for each (query, head), a block-wide reduction for each key: 18 barriers for each key; dK and dV by
// float atomics. Tensors are (tokens, heads, dim) f32; lse and delta, (tokens, heads) f32, come from the forward: the
// logarithm of the sum of exponentials of a row, and the dot product of grad with the output.
void attention_backward(float* dq, float* dk, float* dv, const float* q, const float* k, const float* v,
                        const float* grad, const float* lse, const float* delta, int tokens, int heads, int dim);

// (c) Tiles of 32 x 33 through shared memory, 32 x block_rows threads, one barrier for each tile.
void transpose(float* out, const float* in, int rows, int cols, int block_rows);

// (d) mma.m16n8k16 on bf16, `products` of them one after another in each warp of one block. out: (kMmaThreads) f32, in:
// (32) pairs of bf16.
inline constexpr unsigned kMmaThreads = 128;
void mma_m16n8k16(float* out, const uint32_t* in, int products);

}  // namespace assay::bench
