// SAYS: left out, because they are not here
// EXIT: 2
// A library that nobody has, and that the kernel needs.
#include <nowhere.cuh>

__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  nowhere::BlockScan<float, 128> scan;
  y[blockIdx.x] = x[0] + rows + cols + blockDim.x;
}
