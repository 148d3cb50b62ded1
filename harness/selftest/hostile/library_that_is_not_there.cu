// SAYS: cub/cub.cuh: No such file or directory
// EXIT: 2
// A library of the toolkit that the executor has not.
#include <cub/cub.cuh>

__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  typedef cub::BlockReduce<float, 128> Reduce;
  y[blockIdx.x] = x[0] + rows + cols + blockDim.x;
}
