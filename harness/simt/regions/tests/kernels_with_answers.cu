// Small kernels, each with what becomes of it: `// split`, `// split by warps` or `// refused: why`, and on the next
// line the kernel. answers_test.cpp compares.
#include <cooperative_groups.h>

#define FULL 0xffffffffu

// ---- Barriers. What threads that part do at one is found out at run time.

// split
__global__ void tree(float* x) {
  __shared__ float s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) x[0] = s[0];
}
// split
__global__ void barrier_of_some(float* x) {
  if (threadIdx.x < 16) __syncthreads();
  x[threadIdx.x] = 1;
}
// split
__global__ void loop_that_threads_leave(float* x, int n) {
  __shared__ float s[256];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    s[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = s[threadIdx.x ^ 1];
    __syncthreads();
  }
  __syncthreads();
  x[0] = 1;
}
// split
__global__ void early_return(float* x, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = s[threadIdx.x ^ 1];
}
// split
__global__ void flag_of_this_interval(float* x) {
  __shared__ int f;
  if (threadIdx.x == 0) f = x[0] > 0;
  if (f) __syncthreads();
  x[1] = 1;
}
// split
__global__ void bound_from_memory(float* x, const int* n) {
  __shared__ float s[256];
  for (int i = 0; i < n[blockIdx.x]; ++i) {
    s[threadIdx.x] = x[i];
    __syncthreads();
    x[i + 1] = s[1];
    __syncthreads();
  }
}
// split
__global__ void votes(float* x) {
  int more;
  do {
    x[threadIdx.x] *= 0.5f;
    more = __syncthreads_or(x[threadIdx.x] > 1);
  } while (more);
}
// split
__global__ void local_array(float* x, int n) {
  float a[32];
  for (int i = 0; i < 32; ++i) a[i] = x[i * n];
  __syncthreads();
  x[threadIdx.x] = a[n & 31];
}
// split
__global__ void prints(float* x) {
  if (x[threadIdx.x] < 0) printf("%f\n", x[threadIdx.x]);
  __syncthreads();
  x[0] = 1;
}
// split
__global__ void tries_again(int* p, float v) {
  int old = *p, a;
  do {
    a = old;
    old = atomicCAS(p, a, __float_as_int(v + __int_as_float(a)));
  } while (a != old);
}

// ---- Warp operations that all lanes of a warp come to, or all that have not returned.

// split by warps
__global__ void whole_warp(float* x) {
  float v = x[threadIdx.x];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
  x[threadIdx.x] = v;
}
// split by warps
__global__ void first_warp(float* x) {
  __shared__ float s[32];
  float v = x[threadIdx.x];
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = s[threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(FULL, v, o);
    if (threadIdx.x == 0) x[0] = v;
  }
}
// split by warps
__global__ void first_warp_by_signed_quotient(float* x) {
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  if (w == 0) {
    float v = x[l];
    v += __shfl_down_sync(FULL, v, 1);
    x[l] = v;
  }
  __syncthreads();
  x[threadIdx.x] += 1;
}
// split by warps
__global__ void half_that_returns(float* x) {
  if (threadIdx.x % 32 < 16) {
    float v = x[threadIdx.x];
    v += __shfl_down_sync(0xffffu, v, 1);
    x[threadIdx.x] = v;
  }
  x[threadIdx.x + 1024] = 1;
}
// split by warps
__global__ void tiles(float* x) {
  auto b = cooperative_groups::this_thread_block();
  auto t = cooperative_groups::tiled_partition<16>(b);
  float v = x[b.thread_rank()];
  v += t.shfl_xor(v, 1);
  x[b.thread_rank()] = v;
}
// split by warps
__global__ void row_for_each_y(float* x, int n) {
  for (int r = threadIdx.y; r < n; r += blockDim.y) {
    float v = x[r * 32 + threadIdx.x];
    v += __shfl_xor_sync(FULL, v, 1);
    x[r * 32 + threadIdx.x] = v;
  }
}
// split by warps
__global__ void row_of_all_warps(float* x, int n) {
  for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32; r < n; r += gridDim.x * blockDim.x / 32) {
    float v = x[r * 32 + threadIdx.x % 32];
    v += __shfl_xor_sync(FULL, v, 1);
    x[r * 32 + threadIdx.x % 32] = v;
  }
  __syncthreads();
  x[0] = 1;
}
// split by warps
__global__ void rows_of_warps(float* x, int n) {
  int row = threadIdx.x / 32 * 8;
  if (row < n) {
    float v = x[row + threadIdx.x];
    x[row + threadIdx.x] = v + __shfl_xor_sync(FULL, v, 1);
  }
  __syncthreads();
  x[threadIdx.x + 4096] = 1;
}
// split by warps
__global__ void branch_on_ballot(float* x) {
  if (__ballot_sync(FULL, x[threadIdx.x] > 0)) {
    float v = __shfl_sync(FULL, x[threadIdx.x], 0);
    x[threadIdx.x] = v;
  }
  __syncwarp();
  x[threadIdx.x] += 1;
}
// split by warps
__global__ void shuffled_bound(int* x) {
  int n = __shfl_sync(FULL, x[threadIdx.x], 0);
  for (int i = 0; i < n; ++i) x[threadIdx.x] += __shfl_xor_sync(FULL, x[threadIdx.x], 1);
  __syncwarp();
  x[threadIdx.x] += 1;
}

// ---- Warp operations that lanes may come to one by one.

// refused: a warp operation below a branch that is not proven uniform in a warp
__global__ void half_that_goes_on(float* x) {
  if (threadIdx.x % 32 < 16) {
    float v = x[threadIdx.x];
    v += __shfl_down_sync(0xffffu, v, 1);
    x[threadIdx.x] = v;
  }
  __syncwarp();
  x[threadIdx.x + 1024] = 1;
}
// refused: a warp operation below a branch that is not proven uniform in a warp
__global__ void rows_of_half_warps(float* x, int n) {
  int row = threadIdx.x / 16 * 8;
  if (row < n) {
    float v = x[row + threadIdx.x];
    x[row + threadIdx.x] = v + __shfl_xor_sync(FULL, v, 1);
  }
  __syncthreads();
  x[threadIdx.x + 4096] = 1;
}
// refused: a warp operation below a branch that is not proven uniform in a warp
__global__ void tail_of_a_loop(float* x, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    float v = x[i];
    s += __shfl_xor_sync(FULL, v, 1);
  }
  __syncwarp();
  x[threadIdx.x] = s;
}
// refused: a warp operation below a branch that is not proven uniform in a warp
__global__ void shuffle_from_own_source(int* x) {
  int n = __shfl_sync(FULL, x[threadIdx.x], threadIdx.x / 2);
  if (n > 3) x[threadIdx.x] = __shfl_xor_sync(FULL, n, 1);
  __syncthreads();
  x[threadIdx.x] += 1;
}
// refused: a warp operation below a branch that is not proven uniform in a warp
__global__ void signed_quotient_of_a_difference(int* x, int n) {
  int w = ((int)threadIdx.x - n) / 32;
  if (w == 0) x[threadIdx.x] = __shfl_xor_sync(FULL, x[threadIdx.x], 1);
  __syncthreads();
  x[threadIdx.x] += 1;
}

// ---- Others that fibers run.

// refused: a loop that may wait for another thread
__global__ void waits_for_a_flag(int* f) {
  if (threadIdx.x == 0)
    while (atomicAdd(f, 0) == 0) {
    }
  __syncthreads();
  f[1] = 1;
}
// refused: a loop that may wait for another thread
__global__ void waits_for_a_volatile(volatile int* f) {
  while (*f == 0) {
  }
  f[1] = 1;
}
// refused: a loop that may wait for another thread
__global__ void lock(int* l, int* x) {
  while (atomicCAS(l, 0, 1) != 0) {
  }
  *x += 1;
  atomicExch(l, 0);
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) * n; }
// refused: too large, or recursion
__global__ void recursive(int* x) { x[threadIdx.x] = fibonacci(x[threadIdx.x]); }
// refused: indirect call
__global__ void indirect(float* x, float (**f)(float)) { x[threadIdx.x] = f[threadIdx.x % 2](x[threadIdx.x]); }
// refused: coalesced threads
__global__ void coalesced(int* x) {
  if (x[threadIdx.x] > 0) {
    auto g = cooperative_groups::coalesced_threads();
    if (g.thread_rank() == 0) atomicAdd(x, g.size());
  }
}
// refused: __activemask
__global__ void active(unsigned* x) { x[threadIdx.x] = __activemask(); }
// refused: calls malloc, which the pass does not know
__global__ void allocates(int** x) { x[threadIdx.x] = static_cast<int*>(malloc(4)); }
