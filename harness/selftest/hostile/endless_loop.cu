// SAYS: TIMEOUT
// SAYS: not done after 2 s: in kernel softmax_forward block
// SAYS: , endless_loop.cu:8
// OPTIONS: --cases 1
// Waits for a number that nobody writes.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  volatile float* first = y;
  while (first[0] != 12345.0f || rows < 0 || cols < 0) {
  }
}
