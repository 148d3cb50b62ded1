// cuFFT in programs that `assay c++` builds: there and back, real values in place, and what a call must not read.
#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class CxxFourier : public CxxProgram {};

constexpr const char* kTransforms = R"(#include <cuda_runtime.h>
#include <cufftXt.h>
#include <cmath>
#include <cstdio>
bool is_near(float a, double b) { return std::fabs(a - b) < 1e-4; }
int main() {
  const int rows = 3, columns = 10, half = columns / 2 + 1;
  float *values, *back;
  cufftComplex *spectrum, *line;
  cudaMalloc(&values, rows * columns * sizeof(float));
  cudaMallocManaged(&back, rows * columns * sizeof(float));
  cudaMallocManaged(&spectrum, rows * half * sizeof(cufftComplex));
  cudaMallocManaged(&line, 12 * sizeof(cufftComplex));
  float given[rows * columns];
  for (int i = 0; i < rows * columns; ++i) given[i] = i * i % 17;
  cudaMemcpy(values, given, WRITTEN, cudaMemcpyHostToDevice);
  cufftHandle forward, inverse, complex;
  bool right = cufftPlan2d(&forward, rows, columns, CUFFT_R2C) == CUFFT_SUCCESS &&
               cufftPlan2d(&inverse, rows, columns, CUFFT_C2R) == CUFFT_SUCCESS &&
               cufftExecR2C(forward, values, spectrum) == CUFFT_SUCCESS &&
               cufftExecC2R(inverse, spectrum, back) == CUFFT_SUCCESS &&
               cufftExecC2R(forward, spectrum, back) == CUFFT_INVALID_TYPE;
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < rows * columns; ++i) {
    sum += given[i];
    right = right && is_near(back[i] / (rows * columns), given[i]);
  }
  right = right && is_near(spectrum[0].x, sum) && is_near(spectrum[0].y, 0);

  // Two transforms of six values each: of a wave, and of one that stands still.
  for (int i = 0; i < 6; ++i) {
    line[i] = {static_cast<float>(std::cos(2 * M_PI * i / 6)), static_cast<float>(std::sin(2 * M_PI * i / 6))};
    line[6 + i] = {2, 0};
  }
  size_t workspace = 1;
  long long n = 6;
  right = right && cufftCreate(&complex) == CUFFT_SUCCESS &&
          cufftExecC2C(complex, line, line, CUFFT_FORWARD) == CUFFT_INVALID_PLAN &&
          cufftXtMakePlanMany(complex, 1, &n, nullptr, 1, 1, CUDA_C_32F, nullptr, 1, 1, CUDA_C_32F, 2, &workspace,
                              CUDA_C_32F) == CUFFT_SUCCESS &&
          cufftExecC2C(complex, line, line, CUFFT_FORWARD) == CUFFT_SUCCESS;
  cudaDeviceSynchronize();
  for (int i = 0; i < 12; ++i) right = right && is_near(line[i].x, i == 1 ? 6 : i == 6 ? 12 : 0) && is_near(line[i].y, 0);
  cufftDestroy(forward), cufftDestroy(inverse), cufftDestroy(complex);
  cudaFree(values), cudaFree(back), cudaFree(spectrum), cudaFree(line);
  std::puts(right ? "right" : "wrong");
}
)";

TEST_F(CxxFourier, TransformsThereAndBack) { expect_right(kTransforms, "-lcufft '-DWRITTEN=sizeof given'"); }

TEST_F(CxxFourier, ValuesThatNobodyWroteAreFound) {
  write("fft.cu", kTransforms);
  ASSERT_EQ(build("-lcufft '-DWRITTEN=sizeof given-4' fft.cu -o fft").exit_code, 0);
  EXPECT_THAT(run(at("fft")).err,
              HasSubstr("UNINITIALISED: cufftExecR2C reads idata of 30 elements, whose element 29"));
}

}  // namespace
}  // namespace assay
