// Kernels whose file says all that an adapter would, judged by the command line.
#include <gmock/gmock.h>

#include "harness/cli/test_adapter_use.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::unwrapped;
using testing::AllOf;
using testing::HasSubstr;

class KernelsWithoutAdapter : public AdapterUse {
 protected:
  // Checks a kernel, which is to pass with `said` in the report; the exit code of it with `to` in the place of `from`.
  int exit_code_of_broken(const std::string& text, const std::string& options, const std::string& said,
                          const std::string& from, const std::string& to) const {
    write("k.cu", text);
    const Ran ran = check(options + " --cases 8");
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(unwrapped(ran.out), HasSubstr(said));
    std::string broken = text;
    broken.replace(broken.find(from), from.size(), to);
    write("k.cu", broken);
    return check(options + " --cases 8").exit_code;
  }
};

// Its arguments in a structure, its author's condition in the function that launches it, and an eps of its own.
constexpr const char* kInAStructure = R"(struct Args { const float* x; float* y; int rows, cols; };
__global__ void rmsnorm(Args a) {
  const float4* x = reinterpret_cast<const float4*>(a.x + blockIdx.x * a.cols);
  float4* y = reinterpret_cast<float4*>(a.y + blockIdx.x * a.cols);
  float sum = 0;
  for (int i = 0; i < a.cols / 4; ++i) sum += x[i].x * x[i].x + x[i].y * x[i].y + x[i].z * x[i].z + x[i].w * x[i].w;
  const float r = rsqrtf(sum / a.cols + 1e-8f);
  for (int i = threadIdx.x; i < a.cols / 4; i += 64)
    y[i] = make_float4(x[i].x * r, x[i].y * r, x[i].z * r, x[i].w * r);
}
void launch(Args a) {
  if (a.cols % 4 != 0) return;
  rmsnorm<<<a.rows, 64>>>(a);
}
)";

TEST_F(KernelsWithoutAdapter, AStructureItsConditionAndItsOwnEpsNeedNoAdapter) {
  EXPECT_EQ(exit_code_of_broken(kInAStructure, "", "aE % 4", "i += 64", "i += 65"), 1);
}

// The launch is in a function of a type that a header has with CUDA alone.
TEST_F(KernelsWithoutAdapter, ASwitchOfAHeaderIsOnWhereKernelsAre) {
  write("context.h", "#ifdef HAS_CUDA\nstruct Context { cudaStream_t stream; };\n#endif\n");
  write("k.cu", R"(#include "context.h"
__global__ void add(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * 192 + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
void run(const Context& context, const float* a, const float* b, float* out, int n) {
  add<<<(n + 191) / 192, 192, 0, context.stream>>>(a, b, out, n);
}
)");
  const Ran ran = check("--op residual_add --cases 4");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(unwrapped(ran.out),
              AllOf(HasSubstr("Read with HAS_CUDA defined"), HasSubstr("The launch is that of line 7")));
}

// Its author has a way for the rest of a row, and yet every other row begins between two vectors.
TEST_F(KernelsWithoutAdapter, ARestThatIsTreatedApartIsNotLeftOut) {
  write("k.cu", R"(__global__ void scale(const float* x, const float* gamma, float* y, int cols) {
  const float* row = x + blockIdx.x * cols;
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int cols4 = cols / 4;
  for (int i = threadIdx.x; i < cols4; i += 64) {
    const float4 four = reinterpret_cast<const float4*>(row)[i];
    atomicAdd(&total, four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w);
  }
  for (int i = cols4 * 4 + threadIdx.x; i < cols; i += 64) atomicAdd(&total, row[i] * row[i]);
  __syncthreads();
  const float r = rsqrtf(total / cols + 1e-5f);
  for (int i = threadIdx.x; i < cols; i += 64) y[blockIdx.x * cols + i] = row[i] * r * gamma[i];
}
void run(const float* x, const float* gamma, float* y, int rows, int cols) {
  scale<<<rows, 64>>>(x, gamma, y, cols);
}
)");
  const Ran ran = check("--op rms_norm_forward --cases 8");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("MISALIGNED"));
}

// Addresses are looked at by the function that launches it, and not by the kernel.
TEST_F(KernelsWithoutAdapter, AKernelIsJudgedWhereItsLauncherTakesIt) {
  write("k.cu", R"(#include <cstdint>
__global__ void add_fours(float* x, const float* y, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 4 > n) return;
  float4 a = *reinterpret_cast<float4*>(x + i);
  const float4 b = *reinterpret_cast<const float4*>(y + i);
  a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
  *reinterpret_cast<float4*>(x + i) = a;
}
__global__ void add_ones(float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}
void add(float* x, const float* y, int n) {
  const bool in_fours = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0 && n % 4 == 0;
  if (in_fours) add_fours<<<(n / 4 + 255) / 256, 256>>>(x, y, n);
  else add_ones<<<(n + 255) / 256, 256>>>(x, y, n);
}
)");
  const Ran ran = check("--kernel add_fours --op residual_add --cases 60");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Judged where aE % 4 == 0"));
}

// Its largest element is still read when sums take its place, in blocks of any size.
TEST_F(KernelsWithoutAdapter, ARaceInBlocksOfAnySizeIsTheKernels) {
  write("k.cu", R"(__global__ void softmax(const float* input, float* output, int num_rows, int cols) {
  extern __shared__ float s[];
  const float* in = input + blockIdx.x * cols;
  float* out = output + blockIdx.x * cols;
  float value = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) value = fmaxf(value, in[i]);
  s[threadIdx.x] = value;
  __syncthreads();
  for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (threadIdx.x + half < left) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + half]);
    __syncthreads();
  }
  const float most = s[0];
  value = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) value += out[i] = expf(in[i] - most);
  s[threadIdx.x] = value;
  __syncthreads();
  for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (threadIdx.x + half < left) s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < cols; i += blockDim.x) out[i] /= s[0];
}
void run(const float* input, float* output, int num_rows, int cols, int block_size) {
  softmax<<<num_rows, block_size, block_size * sizeof(float)>>>(input, output, num_rows, cols);
}
)");
  const Ran ran = check("--op softmax_forward --cases 8");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("RACE"));
}

constexpr const char* kProductOfInts = R"(template <class T>
__device__ T product(const T* a, const T* b, int n, int k, int m_at, int n_at) {
  T sum = 0;
  for (int i = 0; i < k; ++i) sum += a[m_at * k + i] * b[i * n + n_at];
  return sum;
}
__global__ void matmul(const TYPE* a, const TYPE* b, TYPE* c, int M, int N, int K) {
  const int m = blockIdx.y * blockDim.y + threadIdx.y, n = blockIdx.x * blockDim.x + threadIdx.x;
  if (m < M && n < N) c[m * N + n] = product(a, b, N, K, m, n);
}
void run(const TYPE* a, const TYPE* b, TYPE* c, int M, int N, int K) {
  matmul<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(a, b, c, M, N, K);
}
)";

TEST_F(KernelsWithoutAdapter, ProductsOfIntsAndOfDoublesAreJudged) {
  for (const std::string type : {"int", "double"})
    EXPECT_EQ(exit_code_of_broken("#define TYPE " + type + "\n" + kProductOfInts, "--op gemm --kernel matmul", "PASSED",
                                  "i < k", "i < k - 1"),
              1)
        << type;
}

// Its exponentials are halves, which the op knows as a rounding. No name says what is what.
constexpr const char* kSoftmaxOfHalves = R"(#include <cuda_fp16.h>
__global__ void soft(const half* data, half* result, int m, int n) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  float most = -INFINITY, sum = 0;
  for (int i = 0; i < n; ++i) most = fmaxf(most, __half2float(data[r * n + i]));
  for (int i = 0; i < n; ++i) {
    const float e = expf(__half2float(data[r * n + i]) - most);
    result[r * n + i] = __float2half(e);
    sum += e;
  }
  for (int i = 0; i < n; ++i) result[r * n + i] = __float2half(__half2float(result[r * n + i]) / sum);
}
)";

TEST_F(KernelsWithoutAdapter, RoundingsOfAGuessedKernelAreAGuessToo) {
  EXPECT_NE(exit_code_of_broken(kSoftmaxOfHalves, "--op softmax_forward", "exp rounded to the type of tensors",
                                "sum += e;", "if (i > 0) sum += e;"),
            0);
}

// In float it rounds nothing that the op does not; in half its gate is one before it is multiplied.
constexpr const char* kGateOfHalves = R"(#include <cuda_fp16.h>
template <class T>
__device__ T silu(const T& x) { return (T)((float)x / (1.0f + expf(-(float)x))); }
template <class T>
__global__ void act_and_mul(T* out, const T* input, int d) {
  const T* row = input + blockIdx.x * 2 * d;
  for (int i = threadIdx.x; i < d; i += 64) out[blockIdx.x * d + i] = silu(row[i]) * row[d + i];
}
void run(float* out, const float* input, int tokens, int d) { act_and_mul<float><<<tokens, 64>>>(out, input, d); }
void run(half* out, const half* input, int tokens, int d) { act_and_mul<half><<<tokens, 64>>>(out, input, d); }
)";

TEST_F(KernelsWithoutAdapter, RoundingsAreTakenInTheTypesThatHaveThem) {
  EXPECT_NE(exit_code_of_broken(kGateOfHalves, "--op swiglu_forward", "silu rounded to the type of tensors",
                                "row[d + i]", "row[d]"),
            0);
}

constexpr const char* kHalvesInTensorCores = R"(#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ half a[256], b[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k = 0; k < K; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      a[i] = __float2half(A[(row + i / 16) * K + k + i % 16]);
      b[i] = __float2half(B[(k + i / 16) * N + col + i % 16]);
    }
    __syncwarp();
    wmma::load_matrix_sync(of_a, a, 16);
    wmma::load_matrix_sync(of_b, b, 16);
    wmma::mma_sync(sums, of_a, of_b, sums);
    __syncwarp();
  }
  wmma::store_matrix_sync(C + row * N + col, sums, N, wmma::mem_row_major);
}
void run(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3(N / 16, M / 16), 32>>>(A, B, C, M, N, K);
}
)";

TEST_F(KernelsWithoutAdapter, ProductsOfHalvesInTensorCoresAreJudgedAsSuch) {
  EXPECT_EQ(exit_code_of_broken(kHalvesInTensorCores, "--op gemm", "Tensor cores multiply f32 rounded to f16",
                                "k + i % 16", "k + i % 15"),
            1);
}

}  // namespace
}  // namespace assay
