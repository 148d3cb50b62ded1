// EXPECT: RACE. Tokens of the same id overwrite each other's sums.
// SMALLEST: dim=1
// Gradient of an embedding table: every token adds its row to that of its id.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <typename T>
__global__ void embedding_backward_kernel(const int* __restrict__ token_ids, const T* __restrict__ grad_output,
                                          float* __restrict__ grad_weight, int num_tokens, int hidden_size,
                                          int vocab_size) {
  const long long idx = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (idx >= static_cast<long long>(num_tokens) * hidden_size) return;
  const int token = static_cast<int>(idx / hidden_size);
  const int column = static_cast<int>(idx % hidden_size);
  const int id = token_ids[token];
  if (id < 0 || id >= vocab_size) return;
  float* slot = grad_weight + static_cast<size_t>(id) * hidden_size + column;
  *slot += static_cast<float>(grad_output[idx]);
}
