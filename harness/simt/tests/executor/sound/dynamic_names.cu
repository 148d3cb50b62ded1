// EXPECT: PASS: dynamic shared memory has one address under every name and type, in and out of namespaces and
// functions.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

extern __shared__ float file_scope[];
namespace layout {
extern __shared__ unsigned char in_namespace[];
}

template <class T>
__device__ T* typed() {
  extern __shared__ __align__(16) unsigned char raw[];
  return reinterpret_cast<T*>(raw);
}

__global__ void names(int* right, int words) {
  extern __shared__ int in_function[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) in_function[i] = __float_as_int(i + 0.5f);
  __syncthreads();
  bool same = static_cast<void*>(file_scope) == in_function && typed<double>() == static_cast<void*>(in_function);
  for (int i = threadIdx.x; i < words; i += blockDim.x) same = same && file_scope[i] == i + 0.5f;
  same = same && static_cast<void*>(layout::in_namespace) == in_function &&
         reinterpret_cast<size_t>(in_function) % 16 == 0;
  *right = __syncthreads_and(same);
}

ASSAY_KERNEL_TEST(dynamic_names) {
  int right = 0;
  launch_kernel(names, {1, 64, 227 * 1024}, &right, 227 * 256);
  return right == 1 ? "" : "a name has another address";
}
