// Headers that kernels of programs by `assay c++` include: barriers and pipelines of libcu++, and wmma.
#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class CxxKernelHeaders : public CxxProgram {};

constexpr const char* kPipes = R"(#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;
__device__ int wrong;
#define EXPECT(...) do { if (!(__VA_ARGS__)) { printf("thread %d: line %d\n", (int)threadIdx.x, __LINE__); atomicAdd(&wrong, 1); } } while (0)
__global__ void barriers(const int* in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ alignas(16) int tile[64 * 4];
  const auto block = cg::this_thread_block();
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  block.sync();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(&tile[4 * t], &in[4 * t + round], sizeof(int) * 4, barrier);
    auto token = barrier.arrive();
    WAIT(barrier.wait(std::move(token)));
    EXPECT(tile[255 - t] == 255 - t + round);
    barrier.arrive_and_wait();
  }
}
__global__ void of_threads(const int* in) {
  __shared__ alignas(16) int stages[3][64];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const auto shape = cuda::aligned_size_t<alignof(int)>(sizeof(int));
  const int t = threadIdx.x;
  for (int filled = 0, used = 0; used < 8; ++used) {
    for (; filled < 8 && filled < used + 3; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stages[filled % 3][t], &in[filled * 64 + t], shape, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    EXPECT(stages[used % 3][63 - t] == used * 64 + 63 - t);
    __syncthreads();
    pipe.consumer_release();
  }
}
__global__ void of_blocks(const int* in) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stages[2][32];
  const auto block = cg::this_thread_block();
  const bool fills = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state,
                                  fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 6; ++i) {
    if (fills) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stages[i % 2][lane], &in[32 * i + lane], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      EXPECT(stages[i % 2][31 - lane] == 32 * i + 31 - lane);
      pipe.consumer_release();
    }
  }
}
__global__ void of_groups(const int* in) {
  __shared__ alignas(16) int tile[128];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof tile);
  cg::wait(block);
  EXPECT(tile[127 - threadIdx.x] == 127 - threadIdx.x);
  block.sync();
  cg::memcpy_async(block, tile, 128, in + 64, 100);
  cg::memcpy_async(block, tile + 100, in, cuda::aligned_size_t<4>(28 * sizeof(int)));
  cg::wait_prior<1>(block);
  EXPECT(tile[99 - threadIdx.x] == 163 - threadIdx.x);
  cg::wait(block);
  EXPECT(threadIdx.x >= 28 || tile[127 - threadIdx.x] == 27 - threadIdx.x);
}
int main() {
  int* in;
  cudaMallocManaged(&in, 4096);
  for (int i = 0; i < 1024; ++i) in[i] = i;
  barriers<<<2, 64>>>(in);
  of_threads<<<1, 64>>>(in);
  of_blocks<<<1, 96>>>(in);
  of_groups<<<1, 64>>>(in);
  int result = 0;
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpyFromSymbol(&result, wrong, sizeof result);
  std::puts(result == 0 ? "right" : "wrong");
  cudaFree(in);
}
)";

TEST_F(CxxKernelHeaders, BarriersAndPipelines) { expect_right(kPipes, "'-DWAIT(x)=x'"); }

TEST_F(CxxKernelHeaders, AWaitThatIsMissingIsFound) {
  write("pipes.cu", kPipes);
  ASSERT_EQ(build("'-DWAIT(x)=' pipes.cu -o pipes").exit_code, 0);
  EXPECT_THAT(run(at("pipes")).err, HasSubstr("UNINITIALISED: kernel barriers"));
}

TEST_F(CxxKernelHeaders, MatricesOfAWarp) {
  expect_right(R"(#include <cuda_runtime.h>
#include <mma.h>
#include <cstdint>
#include <cstdio>
using namespace nvcuda;
// C = A B + C of one tile, A by rows and B by columns, on one warp.
template <int m, int n, int k, class T, class Stored, class Sum>
__global__ void product(const Stored* a, const Stored* b, Sum* c, int stride) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> fc;
  wmma::load_matrix_sync(fa, a, k);
  wmma::load_matrix_sync(fb, b, k);
  wmma::load_matrix_sync(fc, c, stride, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] += Sum(1);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, stride, wmma::mem_col_major);
}
int failures = 0;
template <int m, int n, int k, class T, class Stored, class Sum>
void check(const char* name) {
  constexpr int kStride = m > n ? m : n;
  Stored *a, *b;
  Sum* c;
  cudaMallocManaged(&a, m * k * sizeof(Stored));
  cudaMallocManaged(&b, n * k * sizeof(Stored));
  cudaMallocManaged(&c, kStride * kStride * sizeof(Sum));
  for (int i = 0; i < m * k; ++i) a[i] = Stored(float(i % 7));
  for (int i = 0; i < n * k; ++i) b[i] = Stored(float(i % 5));
  for (int i = 0; i < kStride * kStride; ++i) c[i] = Sum(i % 11);
  product<m, n, k, T><<<1, 32>>>(a, b, c, kStride);
  cudaDeviceSynchronize();
  bool right = true;
  for (int row = 0; row < m; ++row)
    for (int col = 0; col < n; ++col) {
      double sum = (row * kStride + col) % 11 + 1;
      for (int i = 0; i < k; ++i) sum += ((row * k + i) % 7) * ((col * k + i) % 5);
      right = right && double(c[col * kStride + row]) == sum;
    }
  if (!right) std::printf("%s is wrong\n", name), ++failures;
  cudaFree(a), cudaFree(b), cudaFree(c);
}
int main() {
  check<16, 16, 16, half, half, float>("half");
  check<32, 8, 16, half, half, float>("half 32x8");
  check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bf16");
  check<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>("bf16 8x32");
  check<16, 16, 8, wmma::precision::tf32, float, float>("tf32");
  check<8, 8, 4, double, double, double>("double");
  check<16, 16, 16, uint8_t, uint8_t, int>("u8");
  check<32, 8, 16, signed char, signed char, int>("s8");
  if (failures == 0) std::puts("right");
}
)");
}

}  // namespace
}  // namespace assay
