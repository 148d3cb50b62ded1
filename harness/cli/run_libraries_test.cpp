// `assay run` on programs that call cuBLAS, cuBLASLt and cuRAND: results against plain loops in the program itself, and
// what is found. The program is built twice, with declarations of its own and with NVIDIA's headers where they are.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDeclarations = R"(
#ifdef BY_NVCC
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#else
#include <stddef.h>
#include <stdint.h>
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasIsamax cublasIsamax_v2
#define cublasSsyrk cublasSsyrk_v2
extern "C" {
typedef int cublasOperation_t, cublasComputeType_t, cudaDataType, cublasStatus_t, cublasFillMode_t, cublasPointerMode_t,
    cublasGemmAlgo_t, cublasLtMatmulDescAttributes_t, cublasLtEpilogue_t, curandRngType_t, cudaMemcpyKind,
    cudaStreamCaptureMode;
typedef void *cublasHandle_t, *cublasLtHandle_t, *cublasLtMatmulDesc_t, *cublasLtMatrixLayout_t, *curandGenerator_t,
    *cudaStream_t, *cudaGraph_t, *cudaGraphExec_t;
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
int cudaStreamCreate(cudaStream_t*);
int cudaStreamDestroy(cudaStream_t);
int cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
int cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
int cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
int cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
int cublasCreate(cublasHandle_t*);
int cublasDestroy(cublasHandle_t);
int cublasSetStream(cublasHandle_t, cudaStream_t);
int cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t);
int cublasSgemm(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const float*, const float*, int,
                const float*, int, const float*, float*, int);
int cublasGemmStridedBatchedEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                               const void*, cudaDataType, int, long long, const void*, cudaDataType, int, long long,
                               const void*, void*, cudaDataType, int, long long, int, cublasComputeType_t,
                               cublasGemmAlgo_t);
int cublasSgemv(cublasHandle_t, cublasOperation_t, int, int, const float*, const float*, int, const float*, int,
                const float*, float*, int);
int cublasSaxpy(cublasHandle_t, int, const float*, const float*, int, float*, int);
int cublasSdot(cublasHandle_t, int, const float*, int, const float*, int, float*);
int cublasSnrm2(cublasHandle_t, int, const float*, int, float*);
int cublasIsamax(cublasHandle_t, int, const float*, int, int*);
int cublasSsyrk(cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int, const float*, const float*, int,
                const float*, float*, int);
int cublasLtCreate(cublasLtHandle_t*);
int cublasLtDestroy(cublasLtHandle_t);
int cublasLtMatmulDescCreate(cublasLtMatmulDesc_t*, cublasComputeType_t, cudaDataType);
int cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t);
int cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void*, size_t);
int cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t*, cudaDataType, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t);
int cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*, cublasLtMatrixLayout_t,
                   const void*, cublasLtMatrixLayout_t, const void*, const void*, cublasLtMatrixLayout_t, void*,
                   cublasLtMatrixLayout_t, const void*, void*, size_t, cudaStream_t);
int curandCreateGenerator(curandGenerator_t*, curandRngType_t);
int curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long);
int curandGenerateUniform(curandGenerator_t, float*, size_t);
int curandGenerateNormal(curandGenerator_t, float*, size_t, float, float);
int curandGeneratePoisson(curandGenerator_t, unsigned*, size_t, double);
int curandDestroyGenerator(curandGenerator_t);
}
#endif
)";

// Each part prints its name and the largest error that it found.
constexpr const char* kProgram = R"(
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vector>
using Floats = std::vector<float>;
static unsigned state = 1;
static int draw(int below) { return (state = state * 1664525 + 1013904223) / 65536 % below; }
static Floats numbers(int count) {
  Floats all(count);
  for (float& each : all) each = (draw(65) - 32) / 16.0f;
  return all;
}
template <class T>
static T* device(const std::vector<T>& values) {
  T* memory;
  cudaMalloc((void**)&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), (cudaMemcpyKind)1);
  return memory;
}
template <class T>
static std::vector<T> taken(T* memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), (cudaMemcpyKind)2);
  cudaFree(memory);
  return values;
}
static void worse(double& worst, double error) { worst = error <= worst ? worst : error; }  // a NaN stays
static cublasOperation_t op(bool turns) { return (cublasOperation_t)turns; }

static double products(cublasHandle_t handle) {
  double worst = 0;
  for (int round = 0; round < 40; ++round) {
    const int m = 1 + draw(40), n = 1 + draw(40), k = draw(40), batches = 1 + draw(3);
    const bool turns_a = draw(2), turns_b = draw(2);
    const int lda = (turns_a ? k : m) + 1 + draw(3), ldb = (turns_b ? n : k) + 1, ldc = m + draw(3);
    const int of_a = draw(2) * lda * (turns_a ? m : k), of_b = ldb * (turns_b ? k : n), of_c = ldc * n;
    const float alpha = (draw(3) - 1) * 1.5f, beta = (draw(3) - 1) * 0.5f;
    const Floats a = numbers(of_a * batches + lda * 80), b = numbers(of_b * batches + 80);
    Floats c = numbers(of_c * batches);
    if (beta == 0) c.assign(c.size(), NAN);
    float *da = device(a), *db = device(b), *dc = device(c);
    const cudaDataType f32 = (cudaDataType)0;
    if (batches == 1)
      cublasSgemm(handle, op(turns_a), op(turns_b), m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc);
    else
      cublasGemmStridedBatchedEx(handle, op(turns_a), op(turns_b), m, n, k, &alpha, da, f32, lda, of_a, db, f32, ldb,
                                 of_b, &beta, dc, f32, ldc, of_c, batches, (cublasComputeType_t)68, (cublasGemmAlgo_t)-1);
    cudaFree(da), cudaFree(db);
    const Floats found = taken(dc, c.size());
    for (int each = 0; each < batches; ++each)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          double sum = 0;
          for (int l = 0; l < k; ++l)
            sum += a[each * of_a + (turns_a ? l + i * lda : i + l * lda)] * b[each * of_b + (turns_b ? j + l * ldb : l + j * ldb)];
          const int at = each * of_c + i + j * ldc;
          const double expected = alpha * sum + (beta == 0 ? 0 : beta * c[at]);
          worse(worst, fabs(found[at] - expected));
        }
  }
  return worst;
}

static double vectors(cublasHandle_t handle) {
  const int n = 37;
  double worst = 0;
  const Floats x = numbers(3 * n), y = numbers(2 * n), a = numbers(n * 9);
  float *dx = device(x), *dy = device(y), *da = device(a), *ds = device(Floats{2}), result;
  const float alpha = 0.5f, beta = 2;
  cublasSetPointerMode(handle, (cublasPointerMode_t)1);
  cublasSaxpy(handle, n, ds, dx, -3, dy, 2);
  cublasSetPointerMode(handle, (cublasPointerMode_t)0);
  double dot = 0, squares = 0, largest = 0;
  int place = 0;
  for (int i = 0; i < n; ++i) {
    dot += x[3 * i] * (y[2 * i] + 2 * x[3 * (n - 1 - i)]);
    squares += x[3 * i] * x[3 * i];
    if (fabs(x[3 * i]) > largest) largest = fabs(x[3 * i]), place = i + 1;
  }
  int found_place = 0;
  cublasSdot(handle, n, dx, 3, dy, 2, &result), worse(worst, fabs(result - dot) / 100);
  cublasSnrm2(handle, n, dx, 3, &result), worse(worst, fabs(result - sqrt(squares)));
  cublasIsamax(handle, n, dx, 3, &found_place), worse(worst, abs(found_place - place));
  cublasSgemv(handle, op(true), 9, n - 1, &alpha, da, 9, dx, 1, &beta, dy, 1);
  const Floats after = taken(dy, y.size());
  for (int j = 0; j < n - 1; ++j) {
    double sum = 0;
    for (int i = 0; i < 9; ++i) sum += a[i + 9 * j] * x[i];
    const double before = j % 2 != 0 ? y[j] : y[j] + 2 * x[3 * (n - 1 - j / 2)];
    worse(worst, fabs(after[j] - (0.5 * sum + 2 * before)));
  }
  cudaFree(dx), cudaFree(da), cudaFree(ds);
  return worst;
}

static double gelu(double x) { return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
static double epilogues(cublasLtHandle_t handle) {
  const int m = 16, n = 5, k = 7;
  const Floats a = numbers(m * k), b = numbers(k * n), bias = numbers(m);
  float *da = device(a), *db = device(b), *dbias = device(bias), *dd, *daux, *dgradient;
  cudaMalloc((void**)&dd, m * n * 4), cudaMalloc((void**)&daux, m * n * 4), cudaMalloc((void**)&dgradient, n * 4);
  const cudaDataType f32 = (cudaDataType)0;
  cublasLtMatrixLayout_t of_a, of_b, of_d;
  cublasLtMatrixLayoutCreate(&of_a, f32, m, k, m), cublasLtMatrixLayoutCreate(&of_b, f32, k, n, k);
  cublasLtMatrixLayoutCreate(&of_d, f32, m, n, m);
  const float one = 1, none = 0;
  const int64_t ld = m;
  const auto multiply = [&](int epilogue, float* vector) {
    cublasLtMatmulDesc_t matmul;
    cublasLtMatmulDescCreate(&matmul, (cublasComputeType_t)68, f32);
    cublasLtMatmulDescSetAttribute(matmul, (cublasLtMatmulDescAttributes_t)7, &epilogue, 4);
    cublasLtMatmulDescSetAttribute(matmul, (cublasLtMatmulDescAttributes_t)8, &vector, 8);
    cublasLtMatmulDescSetAttribute(matmul, (cublasLtMatmulDescAttributes_t)11, &daux, 8);
    cublasLtMatmulDescSetAttribute(matmul, (cublasLtMatmulDescAttributes_t)12, &ld, 8);
    const int status = cublasLtMatmul(handle, matmul, &one, da, of_a, db, of_b, &none, dd, of_d, dd, of_d, 0, 0, 0, 0);
    cublasLtMatmulDescDestroy(matmul);
    return status == 0 ? 0 : NAN;
  };
  double worst = multiply(164, dbias);  // GELU_AUX_BIAS
  Floats forward(m * n), backward(m * n), gradient(n);
  cudaMemcpy(forward.data(), dd, m * n * 4, (cudaMemcpyKind)2);
  worst += multiply(192, 0) + multiply(512, dgradient);  // DGELU, whose result the other overwrites
  worst += multiply(192, 0);
  backward = taken(dd, m * n), gradient = taken(dgradient, n);
  for (int j = 0; j < n; ++j) {
    double column = 0;
    for (int l = 0; l < k; ++l) column += b[l + j * k];
    worse(worst, fabs(column - gradient[j]));
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i + l * m] * b[l + j * k];
      const double in = sum + bias[i], slope = (gelu(in + 1e-5) - gelu(in - 1e-5)) / 2e-5;
      worse(worst, fabs(forward[i + j * m] - gelu(in)));
      worse(worst, fabs(backward[i + j * m] - sum * slope));
    }
  }
  for (float* each : {da, db, dbias, daux}) cudaFree(each);
  for (auto each : {of_a, of_b, of_d}) cublasLtMatrixLayoutDestroy(each);
  return worst;
}

// A product in a graph that is launched twice: C = A + (A + 0).
static double graphs(cublasHandle_t handle) {
  const Floats identity = {1, 0, 0, 1}, a = {1, 2, 3, 4};
  float *di = device(identity), *da = device(a), *dc = device(Floats(4)), one = 1;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream), cublasSetStream(handle, stream);
  cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)0);
  cublasSgemm(handle, op(false), op(false), 2, 2, 2, &one, da, 2, di, 2, &one, dc, 2);
  cudaStreamEndCapture(stream, &graph), cudaGraphInstantiateWithFlags(&exec, graph, 0);
  one = 5;  // the call has read it
  cudaGraphLaunch(exec, stream), cudaGraphLaunch(exec, stream);
  cublasSetStream(handle, 0), cudaStreamDestroy(stream), cudaFree(di), cudaFree(da);
  const Floats found = taken(dc, 4);
  double worst = 0;
  for (int i = 0; i < 4; ++i) worse(worst, fabs(found[i] - 2 * a[i]));
  return worst;
}

static double random_numbers() {
  const int n = 100000;
  float* numbers;
  unsigned* counts;
  cudaMalloc((void**)&numbers, n * 4), cudaMalloc((void**)&counts, n * 4);
  curandGenerator_t generator;
  double worst = curandCreateGenerator(&generator, (curandRngType_t)202) == 103 ? 0 : NAN;  // scrambled ones are not there
#ifdef BY_NVCC  // NVIDIA's table, whose first sequence is that of van der Corput
  curandDirectionVectors32_t* directions = 0;
  if (curandGetDirectionVectors32(&directions, CURAND_DIRECTION_VECTORS_32_JOEKUO6) != 0 || directions[0][0] != 1u << 31)
    worst = NAN;
#endif
  curandCreateGenerator(&generator, (curandRngType_t)100);
  curandSetPseudoRandomGeneratorSeed(generator, 42);
  Floats all(n);
  double sum = 0, squares = 0;
  curandGenerateUniform(generator, numbers, n), cudaMemcpy(all.data(), numbers, n * 4, (cudaMemcpyKind)2);
  for (float each : all) sum += each, worst += each > 0 && each <= 1 ? 0 : NAN;
  worse(worst, fabs(sum / n - 0.5));
  sum = 0, curandGenerateNormal(generator, numbers, n, 1, 2), all = taken(numbers, n);
  for (float each : all) sum += each, squares += (each - 1) * (each - 1);
  worse(worst, fabs(sum / n - 1)), worse(worst, fabs(squares / n - 4) / 4);
  sum = squares = 0, curandGeneratePoisson(generator, counts, n, 7);
  for (unsigned each : taken(counts, n)) sum += each, squares += (each - 7.0) * (each - 7.0);
  worse(worst, fabs(sum / n - 7) / 7), worse(worst, fabs(squares / n - 7) / 7);
  curandDestroyGenerator(generator);
  return worst;
}

static void mistakes(cublasHandle_t handle) {
  const float one = 1;
  float *x = device(Floats(12)), *y, host = 0;
  cudaMalloc((void**)&y, 48);
  cublasSaxpy(handle, 12, &one, y, 1, x, 1);
  cublasSgemm(handle, op(false), op(false), 3, 4, 1, &one, x, 4, x, 1, &one, y, 4);
  printf("axpy of the host's memory: %d\n", cublasSaxpy(handle, 1, &one, &host, 1, x, 1));
  printf("dot to the device's: %d\n", cublasSdot(handle, 1, x, 1, x, 1, y));
  printf("syrk: %d\n", cublasSsyrk(handle, (cublasFillMode_t)0, op(false), 2, 2, &one, x, 2, &one, x, 2));
  cudaFree(x), cudaFree(y);
}

int main(int count, char**) {
  cublasHandle_t handle;
  cublasLtHandle_t light;
  cublasCreate(&handle), cublasLtCreate(&light);
  if (count > 1) {
    mistakes(handle);
  } else {
    const auto show = [](const char* name, double error, double most) {
      printf("%s: %s\n", name, error <= most ? "right" : "wrong");
      if (!(error <= most)) printf("  by %g\n", error);
    };
    show("products", products(handle), 1e-4);
    show("vectors", vectors(handle), 1e-5);
    show("epilogues", epilogues(light), 1e-3);
    show("graphs", graphs(handle), 0);
    show("random numbers", random_numbers(), 0.02);
  }
  cublasDestroy(handle), cublasLtDestroy(light);
}
)";

class RunLibraries : public ::testing::Test {
 protected:
  // The program as these words compile it.
  std::string built(const std::string& compiler, const std::string& behind) const {
    const std::string file = scratch_.path + "/libraries.cu", program = scratch_.path + "/program";
    std::ofstream(file) << kDeclarations << kProgram;
    const Ran ran = selftest::run_command(compiler + " -o " + program + " " + file + " " + behind);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return program;
  }
  static void expect_right(const std::string& program) {
    const Ran ran = run("assay", "run " + program);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "products: right\nvectors: right\nepilogues: right\ngraphs: right\nrandom numbers: right\n");
    EXPECT_THAT(ran.err, AllOf(HasSubstr("assay run: no findings"), HasSubstr("those of Philox4_32_10"),
                               HasSubstr("not supported: curandCreateGenerator of scrambled quasirandom numbers")));
  }
  static void expect_mistakes(const std::string& program) {
    const Ran ran = run("assay", "run " + program + " mistakes");
    EXPECT_EQ(ran.exit_code, 1) << ran.err;
    EXPECT_EQ(ran.out, "axpy of the host's memory: 13\ndot to the device's: 13\nsyrk: 15\n");
    for (const char* each :
         {"UNINITIALISED: cublasSaxpy reads x of 12 elements, whose element 0 in memory was never written",
          "OUT_OF_BOUNDS: cublasSgemm reads C of 3 x 4 elements, leading dimension 4: 60 bytes, and not all of them "
          "are in "
          "memory 2 of cudaMalloc",
          "OUT_OF_BOUNDS: cublasSaxpy reads x of 1 elements, which is no device memory",
          "OUT_OF_BOUNDS: cublasSdot takes the result for memory of the host, as the pointer mode says",
          "not supported: cublasSsyrk_v2, called 1 times"})
      EXPECT_THAT(ran.err, HasSubstr(each));
    EXPECT_THAT(ran.err, Not(HasSubstr("LEAK")));
  }
  selftest::Scratch scratch_;
};

TEST_F(RunLibraries, ComputeWhatPlainLoopsDo) {
  const std::string program = built("c++ -std=c++17 -x c++", "-x none " ASSAY_BUILD_DIR "/libassay_cuda.so");
  expect_right(program);
  expect_mistakes(program);
}

TEST_F(RunLibraries, StandForThoseThatNvccLinks) {
  if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
  const std::string nvcc = nvcc_here() + " -arch=sm_90 -g -DBY_NVCC";
  std::ofstream(scratch_.path + "/probe.cu") << "#include <cublasLt.h>\n#include <curand.h>\nint main() {}\n";
  if (selftest::run_command(nvcc + " -o " + scratch_.path + "/probe " + scratch_.path +
                            "/probe.cu -lcublas -lcublasLt -lcurand")
          .exit_code != 0)
    GTEST_SKIP() << "no cuBLAS here";
  const std::string program = built(nvcc, "-lcublas -lcublasLt -lcurand");
  expect_right(program);
  expect_mistakes(program);
}

}  // namespace
}  // namespace assay
