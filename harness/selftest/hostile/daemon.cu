// SAYS: a process was started, which no GPU does
// OPTIONS: --cases 2 --device cpu
// Leaves a daemon behind that has left group and session.
#include <stdlib.h>

__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) y[0] = system("setsid sleep 4321 >/dev/null 2>&1 &");
}
