// Kernels between the products of attention, a block for each row of pairs of a query and the keys: the softmax, its
// gradient, and the padding of results.
#pragma once

#include <cmath>

#include "reference/vendor/cublas/elementwise.cuh"

namespace assay::vendor {

// The sum or maximum of what the threads of a block of 256 have; all may go on to the next.
template <class Combine>
__device__ inline float combine_block(float value, Combine combine) {
  __shared__ float values[256];
  __syncthreads();  // all have read the last result
  values[threadIdx.x] = value;
  for (unsigned half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
  }
  __syncthreads();
  return values[0];
}
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Where rows of pairs lie in a tensor of (heads, width, width) with `queries` rows and keys in use.
__device__ inline int64_t score_row(int64_t row, int64_t queries, int64_t width) {
  return (row / queries * width + row % queries) * width;
}

// p (rows, keys) = the softmax of scores' rows, over the keys up to the query's own when causal, and 0 beyond. p may be
// the scores' memory. saved, (heads, width, width), may be null.
template <class T>
__global__ void softmax_pairs(const float* scores, T* p, T* saved, int64_t rows, int64_t keys, int64_t width,
                              bool causal) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const int64_t at = row * keys, end = causal ? row % keys + 1 : keys;
    float maximum = -INFINITY, sum = 0;
    for (int64_t j = threadIdx.x; j < end; j += blockDim.x) maximum = fmaxf(maximum, scores[at + j]);
    maximum = combine_block(maximum, Larger());
    for (int64_t j = threadIdx.x; j < end; j += blockDim.x) sum += expf(scores[at + j] - maximum);
    sum = combine_block(sum, Add());
    for (int64_t j = threadIdx.x; j < keys; j += blockDim.x) {
      const T weight = static_cast<T>(j < end ? expf(scores[at + j] - maximum) / sum : 0.f);
      p[at + j] = weight;
      if (saved) saved[score_row(row, keys, width) + j] = weight;
    }
  }
}

// ds = w (dp - sum_{j<=i} w dp), 0 behind a query. w and ds_out: (heads, width, width). Packed to (rows, keys), ds and
// w go to ds and packed_w; ds may be dp's memory.
template <class T>
__global__ void softmax_pairs_backward(const T* w, const float* dp, T* ds_out, T* ds, T* packed_w, int64_t rows,
                                       int64_t keys, int64_t width) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const int64_t at = row * keys, wide = score_row(row, keys, width), end = row % keys + 1;
    float sum = 0;
    for (int64_t j = threadIdx.x; j < end; j += blockDim.x) sum += static_cast<float>(w[wide + j]) * dp[at + j];
    sum = combine_block(sum, Add());
    for (int64_t j = threadIdx.x; j < keys; j += blockDim.x) {
      const T weight = j < end ? w[wide + j] : static_cast<T>(0.f);
      const T gradient = static_cast<T>(j < end ? static_cast<float>(weight) * (dp[at + j] - sum) : 0.f);
      packed_w[at + j] = weight;
      ds[at + j] = ds_out[wide + j] = gradient;
    }
  }
}

// Writes 0 into the lanes from dim on of `rows` rows.
template <class T>
__global__ void clear_padding(T* x, int64_t rows, int64_t dim, int64_t lanes) {
  for (int64_t i = first_element(); i < rows * (lanes - dim); i += element_step())
    x[i / (lanes - dim) * lanes + dim + i % (lanes - dim)] = static_cast<T>(0.f);
}
template <class T>
void launch_clear_padding(T* x, int64_t rows, int64_t dim, int64_t lanes) {
  if (dim < lanes) launch(clear_padding<T>, over_elements(rows * (lanes - dim)), x, rows, dim, lanes);
}

}  // namespace assay::vendor
