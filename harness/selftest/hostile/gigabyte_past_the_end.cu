// SAYS: OUT_OF_BOUNDS
// SAYS: workspace[ | y[
// SAYS: killed by signal 11
// Takes a number of bytes for a number of elements.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  y[(size_t)(1 << 28) + blockIdx.x] = rows + cols;
}
