// EXPECT: UNWRITTEN. The grid is rounded down: the last rows are nobody's.
// SMALLEST: rows=1
// Softmax over the last axis, one thread to a row. The smallest thing that could work.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define cudaCheck(call)                                             \
  do {                                                              \
    cudaError_t status = (call);                                    \
    if (status != cudaSuccess) {                                    \
      printf("cuda: %s\n", cudaGetErrorString(status));             \
      exit(EXIT_FAILURE);                                           \
    }                                                               \
  } while (0)

__global__ void softmax_forward_kernel1(float* out, const float* inp, int N, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    const float* inp_row = inp + i * C;
    float* out_row = out + i * C;
    float maxval = -INFINITY;
    for (int j = 0; j < C; j++) {
      if (inp_row[j] > maxval) maxval = inp_row[j];
    }
    float sum = 0.0f;
    for (int j = 0; j < C; j++) {
      out_row[j] = expf(inp_row[j] - maxval);
      sum += out_row[j];
    }
    for (int j = 0; j < C; j++) out_row[j] /= sum;
  }
}

void softmax_forward1(float* out, float* inp, int N, int C, const int block_size) {
  const int grid_size = N / block_size;
  softmax_forward_kernel1<<<grid_size, block_size>>>(out, inp, N, C);
  cudaCheck(cudaGetLastError());
}

int main(int argc, char** argv) {
  const int N = 8 * 1024, C = 1024;
  float *d_out, *d_inp;
  cudaCheck(cudaMalloc(&d_out, N * C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_inp, N * C * sizeof(float)));
  softmax_forward1(d_out, d_inp, N, C, argc > 1 ? 256 : 128);
  cudaCheck(cudaDeviceSynchronize());
  cudaCheck(cudaFree(d_out));
  cudaCheck(cudaFree(d_inp));
  return 0;
}
