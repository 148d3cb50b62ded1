// SAYS: INPUT_CHANGED
// SAYS: input x[0,0] was
// Keeps its exponentials where the input was.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* scratch = const_cast<float*>(x) + row * cols;
  float sum = 0, largest = -INFINITY;
  for (int c = 0; c < cols; ++c) largest = fmaxf(largest, scratch[c]);
  for (int c = 0; c < cols; ++c) sum += scratch[c] = expf(scratch[c] - largest);
  for (int c = 0; c < cols; ++c) y[row * cols + c] = scratch[c] / sum;
}
