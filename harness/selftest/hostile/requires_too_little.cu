// SAYS: MISMATCH | NONFINITE
// OPTIONS: --cases 100
// Pairs of columns: its adapter should ask for even rows below five columns, and asks only for the first half of that.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0, largest = -INFINITY;
  for (int c = 0; c < cols; ++c) largest = fmaxf(largest, x[row * cols + c]);
  for (int c = 0; c < cols && c < 4; ++c) sum += expf(x[row * cols + c] - largest);
  for (int c = 0; c < cols; ++c) y[row * cols + c] = expf(x[row * cols + c] - largest) / sum;
}
