// Kernels whose file says all that an adapter would, judged by the command line.
#include <gmock/gmock.h>

#include "harness/cli/test_adapter_use.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::unwrapped;
using testing::AllOf;
using testing::HasSubstr;

class KernelsWithoutAdapter : public AdapterUse {};

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
  write("k.cu", kInAStructure);
  const Ran right = check("--cases 8");
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(unwrapped(right.out), AllOf(HasSubstr("rms_norm_forward"), HasSubstr("aE % 4"), HasSubstr("PASSED")));
  std::string broken = kInAStructure;
  broken.replace(broken.find("i += 64"), 7, "i += 65");
  write("k.cu", broken);
  const Ran wrong = check("--cases 8");
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
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
  for (const std::string type : {"int", "double"}) {
    write("k.cu", "#define TYPE " + type + "\n" + kProductOfInts);
    const Ran ran = check("--op gemm --kernel matmul --cases 8");
    EXPECT_EQ(ran.exit_code, 0) << type << ran.out << ran.err;
    std::string broken = kProductOfInts;
    broken.replace(broken.find("i < k"), 5, "i < k - 1");
    write("k.cu", "#define TYPE " + type + "\n" + broken);
    const Ran failed = check("--op gemm --kernel matmul --cases 8");
    EXPECT_EQ(failed.exit_code, 1) << type << failed.out << failed.err;
  }
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
  write("k.cu", kSoftmaxOfHalves);
  const Ran ran = check("--op softmax_forward --cases 8");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(unwrapped(ran.out), HasSubstr("exp rounded to the type of tensors"));
  std::string broken = kSoftmaxOfHalves;
  broken.replace(broken.find("sum += e;"), 9, "if (i > 0) sum += e;");
  write("k.cu", broken);
  EXPECT_NE(check("--op softmax_forward --cases 8").exit_code, 0);
}

}  // namespace
}  // namespace assay
