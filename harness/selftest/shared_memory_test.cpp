// Kernel files that have as much shared memory as CUDA allows, several of them in one run.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

// A file NAME.cu with a kernel, a template over its element, that has `floats` of static shared memory; and its
// adapter. Returns the adapter's path.
std::string write_kernel(const selftest::Scratch& scratch, const std::string& name, int floats) {
  const std::string path = scratch.path + "/" + name;
  std::ofstream(path + ".cu") << R"(#include <cuda_runtime.h>

// One block for each row; every thread adds up what the others have found.
template <class T>
__global__ void softmax(const T* x, T* y, int64_t cols) {
  __shared__ float found[)" << floats
                              << R"(];
  const T* const row = x + blockIdx.x * cols;
  float most = -INFINITY, sum = 0;
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) most = fmaxf(most, float(row[c]));
  found[threadIdx.x] = most;
  __syncthreads();
  for (unsigned t = 0; t < blockDim.x; ++t) most = fmaxf(most, found[t]);
  __syncthreads();
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(float(row[c]) - most);
  found[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned t = 0; t < blockDim.x; ++t) sum += found[t];
  for (int64_t c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = T(expf(float(row[c]) - most) / sum);
}
)";
  std::ofstream(path + ".toml") << "op = \"softmax_forward\"\nname = \"" << name << "\"\nsource = \"" << name << R"(.cu"
blocks = [64]

[[launch]]
entry = "softmax<T>"
args = ["x", "y", "cols"]
grid = ["rows"]
)";
  return path + ".toml";
}

std::string options(const selftest::Scratch& scratch) {
  return selftest::small_suite(scratch, "checked = 4\nelements_max = 300\nflops_max = 30000\n") +
         "--cases 4 --no-save --shrink 0 --out " + scratch.path + "/out";
}

class SharedMemory : public selftest::OneInFour<> {};

TEST_F(SharedMemory, OfManyFilesAtTheLimitIsThere) {
  const selftest::Scratch scratch;
  std::string files;
  for (const char* name : {"first", "second", "third"}) files += write_kernel(scratch, name, 48 * 256) + " ";
  const auto ran = selftest::run("assay", "check " + files + options(scratch));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("PASSED: "));
}

TEST_F(SharedMemory, BeyondTheLimitIsRefused) {
  const selftest::Scratch scratch;
  const auto ran = selftest::run("assay", "check " + write_kernel(scratch, "large", 48 * 256 + 1) + options(scratch));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(selftest::unwrapped(ran.out),
              HasSubstr("49156 bytes of static shared memory, but a kernel may declare 49152"));
}

}  // namespace
}  // namespace assay
