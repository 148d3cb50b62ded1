// SAYS: OUT_OF_BOUNDS
// SAYS: byte 0 of dynamic shared memory was written, but the launch has 0 bytes of it
// SAYS: but the array has 0 bytes
// OPTIONS: --cases 4
// Its adapter launches it without the shared memory that it uses.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  extern __shared__ float row[];
  float largest = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] = x[blockIdx.x * cols + c];
  __syncthreads();
  for (int c = 0; c < cols; ++c) largest = fmaxf(largest, row[c]);
  for (int c = 0; c < cols; ++c) sum += expf(row[c] - largest);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = expf(row[c] - largest) / sum;
}
