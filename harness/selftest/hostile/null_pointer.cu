// SAYS: CRASH
// SAYS: segmentation fault at address (nil) | segmentation fault at address 0x
// SAYS: access through a null pointer, null_pointer.cu:7 | null_pointer.cu:7, which
// Writes through a null pointer.
__global__ void softmax_forward(const float* x, float* y, int rows, int cols) {
  float* nowhere = nullptr;
  nowhere[blockIdx.x * blockDim.x + threadIdx.x] = cols * rows;
}
