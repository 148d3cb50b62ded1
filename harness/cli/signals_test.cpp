// `assay run` on programs that install signal handlers between launches: these must not run on kernels' small stacks.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::Scratch;
using testing::HasSubstr;

// The handler needs more stack than threads of this kernel have, and comes while they run.
constexpr const char* kInterrupted = R"(#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/time.h>
__global__ void rotate(int* x, int rounds) {
  __shared__ int tile[256];
  for (int i = 0; i < rounds; ++i) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[(threadIdx.x + 1) % 256] + 1;
    __syncthreads();
  }
}
volatile int calls = 0;
void on_alarm(int) {
  volatile char stack[6000];
  for (unsigned i = 0; i < sizeof stack; ++i) stack[i] = 77;
  ++calls;
}
int main() {
  int *x, values[256], wrong = 0;
  cudaMalloc(&x, sizeof values), cudaMemset(x, 0, sizeof values);
  rotate<<<1, 256>>>(x, 1);
  INSTALL;
  itimerval often{{0, 300}, {0, 300}};
  setitimer(ITIMER_REAL, &often, nullptr);
  rotate<<<1, 256>>>(x, 20000);
  often = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost), cudaFree(x);
  for (int value : values) wrong += value != 20001;
  std::printf("%d wrong, %s\n", wrong, calls > 3 ? "interrupted" : "not interrupted");
}
)";

TEST(Signals, OfHandlersThatAProgramInstallsLater) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  for (const char* install : {"signal(SIGALRM, on_alarm)",
                              "struct sigaction action = {}; action.sa_handler = on_alarm; "
                              "sigaction(SIGALRM, &action, nullptr)"}) {
    const Scratch scratch;
    std::ofstream(scratch.path + "/main.cu") << "#define INSTALL " << install << "\n" << kInterrupted;
    const Ran built =
        selftest::run_command(fmt::format("'{1}' -o '{0}/main' '{0}/main.cu'", scratch.path, nvcc_here()));
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const Ran ran = selftest::run("assay", "run --tool none '" + scratch.path + "/main'");
    EXPECT_EQ(ran.out, "0 wrong, interrupted\n") << install << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("no findings"));
  }
}

}  // namespace
}  // namespace assay
