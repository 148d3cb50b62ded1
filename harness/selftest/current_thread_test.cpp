// Kernels read the register of the current thread by assembly of ours and by nothing else (simt/fiber.h, current()).
//
// Where g++ reads it as a variable, it takes it out of large loops, though a barrier inside them moves threads to other
// records; then a thread waits for the copies of another, or has its index. That takes functions of 14,000 instructions
// to see, such as attention_forward/tensor_core by nvcc's PTX, so what is held here is what keeps it from happening.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using nlohmann::json;
using selftest::Ran;

constexpr const char* kKernelOfThreads = R"(
#include <cuda_pipeline_primitives.h>
__global__ void kernel(const float4* x, float* y, int n) {
  __shared__ float4 tile[1024];
  for (int i = 0; i < n; ++i) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[i * blockDim.x + threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    y[threadIdx.y] += __shfl_xor_sync(~0u, tile[threadIdx.x ^ 1].x, 3);
    __syncwarp();
    atomicAdd(&y[threadIdx.x], 1.0f);
    __syncthreads();
  }
}
)";

// Instructions that name the register and that g++ has made: they stand outside of its marks around assembly.
std::vector<std::string> made_by_the_compiler(const std::string& assembly) {
  std::vector<std::string> found;
  bool ours = false;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (line == "#APP" || line == "#NO_APP") ours = line == "#APP";
    if (!ours && line.find("%r15") != std::string::npos && line.find(".cfi") == std::string::npos)
      found.push_back(line);
  }
  return found;
}

TEST(CurrentThread, IsReadByAssemblyOnly) {
  const json by = json::parse(selftest::read_text(ASSAY_BUILD_DIR "/kernel_build.json"));
  if (selftest::quoted_words(by.at("switch_flags")).find("ASSAY_SIMT_R15") == std::string::npos)
    GTEST_SKIP() << "no register is reserved: the compiler is not g++, or the processor not an x86-64";
  const selftest::Scratch scratch;
  std::ofstream(scratch.path + "/kernel.cu") << kKernelOfThreads;
  for (const std::string build : {"fast", "checked"}) {
    const Ran ran = selftest::run_command(
        fmt::format("cd {} && {} -c -w{}{}{} -O1 -I {}/harness/simt/include -I {} -include {} -o kernel.s kernel.cu",
                    scratch.path, by.at("compiler").get<std::string>(), selftest::quoted_words(by.at("flags")),
                    selftest::quoted_words(by.at("switch_flags")), selftest::quoted_words(by.at(build + "_flags")),
                    ASSAY_SOURCE_DIR, ASSAY_SOURCE_DIR, by.at(build + "_headers").get<std::string>()));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const std::string assembly = selftest::read_text(scratch.path + "/kernel.s");
    EXPECT_NE(assembly.find("mov %r15, "), std::string::npos) << build << ": the kernel asks for its thread nowhere";
    EXPECT_THAT(made_by_the_compiler(assembly), testing::IsEmpty()) << build;
  }
}

}  // namespace
}  // namespace assay
