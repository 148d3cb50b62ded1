// `assay run` on programs whose host accesses managed and pinned memory before it has waited for the device, and on
// their twins that wait, each in every way that there is.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using testing::HasSubstr;

// A mistake for each mode where nothing waits (n); each other letter is a way to wait.
constexpr const char* kHostAccesses = R"(#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
constexpr int kCount = 256, kBytes = kCount * 4;
__global__ void write(int* x) { x[threadIdx.x] = 1; }
__global__ void read(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void count(int* x) { atomicAdd(x, 1); }
#ifdef FLAG
__global__ void tell(int* x, int* flag) {
  x[threadIdx.x] = 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch_system(flag, 1);
}
#endif
int seen;

int main(int, char** arguments) {
  const std::string mode = arguments[1];
  const auto is = [&](const char* name) { return mode == name; };
  cudaStream_t stream = 0;
  cudaEvent_t event;
  int *managed, *pinned, *device, pageable[kCount];
  if (!is("default")) cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaMallocManaged(&managed, 2 * kBytes);
  cudaMallocHost(&pinned, kBytes);
  cudaMalloc(&device, kBytes);
  memset(managed, 0, 2 * kBytes);
  cudaMemset(device, 0, kBytes);
  if (is("handler")) signal(SIGSEGV, [](int) { _exit(3); });
  for (const char* way = arguments[2]; *way != 0; ++way) {
    const auto wait = [&] {
      if (*way == 'd') cudaDeviceSynchronize();
      if (*way == 's') cudaStreamSynchronize(stream);
      if (*way == 'e') cudaEventRecord(event, stream), cudaEventSynchronize(event);
      while (*way == 'q' && cudaStreamQuery(stream) != cudaSuccess) {}
      if (*way == 'c') cudaMemcpy(pageable, device, kBytes, cudaMemcpyDeviceToHost);
    };
    if (is("managed read") || is("default") || is("handler")) {
      write<<<1, kCount, 0, stream>>>(managed);
      wait();
      seen = managed[7];
    } else if (is("managed write")) {
      read<<<1, kCount, 0, stream>>>(managed, device);
      seen = managed[7];
      wait();
      managed[7] = 2;
    } else if (is("pinned read")) {
      cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, stream);
      wait();
      seen = pinned[7];
    } else if (is("pinned write")) {
      cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream);
      seen = pinned[7];
      wait();
      pinned[7] = 0;
    } else if (is("beside")) {
      write<<<1, kCount, 0, stream>>>(managed);
      for (int i = kCount; i < 2 * kCount; ++i) managed[i] = i;
      memcpy(pageable, managed + kCount, kBytes);
      printf("%d\n", pageable[9]);
      wait();
      seen = managed[7];
    } else if (is("counter")) {
      count<<<1, kCount, 0, stream>>>(managed);
      wait();
      seen = managed[0];
    } else if (is("file")) {
      write<<<1, kCount, 0, stream>>>(managed);
      wait();
      FILE* const file = fopen(arguments[3], "w");
      fwrite(managed, 1, kBytes, file);
      fclose(file);
      const int raw = open(arguments[3], O_RDWR);
      if (pread(raw, pageable, 8, 0) != 8 || ::write(raw, managed + kCount, 8) != 8) puts("short");
      if (*way != 'n' && syscall(SYS_pwrite64, raw, managed, 8, 0) != 8) puts("closed");
      close(raw);
      printf("%d\n", pageable[1]);
    }
#ifdef FLAG
    if (is("flag")) {
      *pinned = 0;
      tell<<<1, kCount, 0, stream>>>(managed, pinned);
      while (*(volatile int*)pinned == 0) {}
      seen = managed[7];
    }
#endif
    cudaDeviceSynchronize();
  }
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFree(device);
}
)";

class RunHostAccesses : public ::testing::Test {
 protected:
  void build(const std::string& compiler) const {
    std::ofstream(scratch_.path + "/h.cu") << kHostAccesses;
    const Ran ran = selftest::run_command("cd " + scratch_.path + " && " + compiler + " -g -o h h.cu");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  Ran run(const std::string& mode, const char* ways) const {
    return selftest::run("assay", "run " + scratch_.path + "/h '" + mode + "' " + ways + " " + scratch_.path + "/out");
  }
  void expect_only_without_a_wait(const std::string& mode, const std::string& found) const {
    const Ran early = run(mode, "n"), sound = run(mode, "dseqc");
    EXPECT_THAT(early.err, HasSubstr("RACE: the host at h.cu:" + found)) << mode;
    EXPECT_THAT(early.err, HasSubstr("cudaDeviceSynchronize, or cudaStreamSynchronize")) << mode;
    EXPECT_EQ(early.exit_code, 1) << mode;
    EXPECT_THAT(sound.err, HasSubstr("no findings")) << mode;
  }
  void expect_all() const {
    expect_only_without_a_wait("managed read",
                               "48 reads byte 28 of memory 1 of cudaMallocManaged at h.cu:31, which kernel write(int*)"
                               " of launch 1 at h.cu:46 in stream 1 writes");
    expect_only_without_a_wait("default", "48 reads byte 28 of memory 1");
    expect_only_without_a_wait("managed write", "53 writes byte 28 of memory 1");
    expect_only_without_a_wait("pinned read", "57 reads byte 28 of memory 2 of ");
    expect_only_without_a_wait("pinned write", "62 writes byte 28 of memory 2 of ");
    expect_only_without_a_wait("beside", "69 reads byte 28 of memory 1");
  }
  selftest::Scratch scratch_;
};

TEST_F(RunHostAccesses, AreFoundWhereNothingWasWaitedForAndSilentElse) {
  build(ASSAY_BUILD_DIR "/assay c++");
  expect_all();
  expect_only_without_a_wait("counter", "73 reads byte 0 of memory 1");
}

TEST_F(RunHostAccesses, AreFoundInWhatNvccBuilds) {
  if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
  build(nvcc_here() + " -arch=sm_90 -lineinfo");
  expect_all();
  expect_only_without_a_wait("counter", "73 reads byte 0 of memory 1");
}

// Whoever polls a flag of the system's scope has waited for what came before it.
TEST_F(RunHostAccesses, AKernelMayTellTheHost) {
  build(ASSAY_BUILD_DIR "/assay c++ -DFLAG");
  EXPECT_THAT(run("flag", "nn").err, HasSubstr("no findings"));
  if (nvcc_here().empty()) return;
  build(nvcc_here() + " -arch=sm_90 -DFLAG");
  EXPECT_THAT(run("flag", "nn").err, HasSubstr("no findings"));
}

// The system does not access a page that is closed to the program.
TEST_F(RunHostAccesses, FilesGetWhatIsThere) {
  build(ASSAY_BUILD_DIR "/assay c++");
  expect_only_without_a_wait("file", "78 reads bytes 0 to 1023 of memory 1");
  EXPECT_EQ(run("file", "n").out, "1\n");
  EXPECT_EQ(run("file", "d").out, "1\n");
  EXPECT_EQ(run("beside", "n").out, "265\n");
}

TEST_F(RunHostAccesses, AProgramKeepsItsOwnHandler) {
  build(ASSAY_BUILD_DIR "/assay c++");
  const Ran ran = run("handler", "n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("no findings"));
}

}  // namespace
}  // namespace assay
