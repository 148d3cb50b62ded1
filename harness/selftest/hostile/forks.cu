// SAYS: CRASH
// SAYS: a process was started by fork() in kernel softmax_forward block (0,0,0) thread (
// OPTIONS: --cases 2 --device cpu
// Every thread doubles the process, and all of them are to go on.
#include <unistd.h>

__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  if (blockIdx.x * blockDim.x + threadIdx.x < 64) y[0] = fork();
}
