// SAYS: MISALIGNED
// SAYS: misaligned vector access at address 0x
// SAYS: a vector access of 16 bytes must begin at a multiple of 16, misaligned_vector.cu:18
// OPTIONS: --device cpu --cases 40
// Reads and writes rows four elements at a time, wherever they begin.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* from = x + (size_t)row * cols;
  float* to = y + (size_t)row * cols;
  float maximum = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) maximum = fmaxf(maximum, from[c]);
  for (int c = 0; c < cols; ++c) sum += expf(from[c] - maximum);
  int c = 0;
  for (; c + 4 <= cols; c += 4) {
    const float4 four = {expf(from[c] - maximum) / sum, expf(from[c + 1] - maximum) / sum,
                         expf(from[c + 2] - maximum) / sum, expf(from[c + 3] - maximum) / sum};
    *reinterpret_cast<float4*>(to + c) = four;
  }
  for (; c < cols; ++c) to[c] = expf(from[c] - maximum) / sum;
}
