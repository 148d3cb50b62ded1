// `assay run` on programs whose processes share device memory: by handles (cudaIpc*), pools, and descriptors.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::Scratch;
using testing::HasSubstr;

// One program, run twice at a time in a folder: "give" makes memory of 8 integers, all 1, and leaves a handle in a
// file; "take" opens it, adds to WRITTEN of them, and says so by another file.
constexpr const char* kGiveAndTake = R"(#include <unistd.h>
#include <cstdio>
#include <cstring>
__global__ void add(int* x, int by) { x[threadIdx.x] += by; }
#define OK(call) if (const auto e = call; e != 0) std::printf("line %d: %d\n", __LINE__, (int)e)
struct Handles { cudaIpcMemHandle_t memory; cudaIpcEventHandle_t event; cudaMemPoolPtrExportData pointer; int pool, giver; };
void leave(const Handles& handles, const char* name) {
  FILE* const file = std::fopen("part", "w");
  std::fwrite(&handles, sizeof handles, 1, file), std::fclose(file), std::rename("part", name);
}
Handles await(const char* name) {
  Handles handles{};
  FILE* file = nullptr;
  for (int i = 0; i < 2000 && file == nullptr; ++i) usleep(10000), file = std::fopen(name, "r");
  if (file != nullptr) std::fread(&handles, sizeof handles, 1, file), std::fclose(file);
  return handles;
}
Handles give(int** x, cudaEvent_t* event);
int* take(const Handles& handles, cudaEvent_t* event);
int main(int, char** arguments) {
  int *x = nullptr, values[8] = {};
  cudaEvent_t event;
  if (std::strcmp(arguments[1], "give") == 0) {
    Handles handles = give(&x, &event);
    handles.giver = getpid();
    leave(handles, "given"), await("taken");
    OK(cudaEventSynchronize(event));
    OK(cudaMemcpy(values, x, 32, cudaMemcpyDeviceToHost));
    OK(cudaFree(x));
    std::printf("%d and %d\n", values[0], values[7]);
  } else {
    const Handles handles = await("given");
    x = take(handles, &event);
    add<<<1, WRITTEN>>>(x, 41);
    OK(cudaEventRecord(event));
    OK(cudaDeviceSynchronize());
    leave(handles, "taken");
  }
}
)";

constexpr const char* kByHandle = R"(
Handles give(int** x, cudaEvent_t* event) {
  Handles handles{};
  const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  OK(cudaMalloc(x, 32));
  OK(cudaMemcpy(*x, ones, 32, cudaMemcpyHostToDevice));
  OK(cudaEventCreateWithFlags(event, cudaEventDisableTiming | cudaEventInterprocess));
  OK(cudaIpcGetMemHandle(&handles.memory, *x));
  OK(cudaIpcGetEventHandle(&handles.event, *event));
  return handles;
}
int* take(const Handles& handles, cudaEvent_t* event) {
  int *x, *again;
  OK(cudaIpcOpenMemHandle((void**)&x, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle((void**)&again, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcCloseMemHandle(again));
  OK(cudaIpcOpenEventHandle(event, handles.event));
  return again;
}
)";

// The descriptor is opened by way of /proc, where a program would send it through a socket.
constexpr const char* kByPool = R"(#include <fcntl.h>
Handles give(int** x, cudaEvent_t* event) {
  Handles handles{};
  cudaMemPool_t pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned, properties.location.type = cudaMemLocationTypeDevice;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  OK(cudaMemPoolCreate(&pool, &properties));
  OK(cudaMallocFromPoolAsync((void**)x, 32, pool, 0));
  OK(cudaMemcpy(*x, ones, 32, cudaMemcpyHostToDevice));
  OK(cudaMemPoolExportToShareableHandle(&handles.pool, pool, properties.handleTypes, 0));
  OK(cudaMemPoolExportPointer(&handles.pointer, *x));
  OK(cudaEventCreate(event));
  return handles;
}
int* take(const Handles& handles, cudaEvent_t* event) {
  int* x;
  cudaMemPool_t pool;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", handles.giver, handles.pool);
  const intptr_t file = open(path, O_RDWR);
  OK(cudaMemPoolImportFromShareableHandle(&pool, (void*)file, cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemPoolPtrExportData pointer = handles.pointer;
  OK(cudaMemPoolImportPointer((void**)&x, pool, &pointer));
  OK(cudaEventCreate(event));
  return x;
}
)";

Ran run_both(const std::string& options, const std::string& text, int written) {
  const Scratch scratch;
  std::ofstream(scratch.path + "/both.cu") << kGiveAndTake << text;
  const Ran built = selftest::run_command(fmt::format(
      "'{1}' -std=c++17 -lineinfo -DWRITTEN={2} -o '{0}/both' '{0}/both.cu'", scratch.path, nvcc_here(), written));
  EXPECT_EQ(built.exit_code, 0) << built.err;
  return selftest::run("assay", fmt::format("run {} /bin/sh -c 'cd \"{}\" && {{ ./both give & ./both take; wait; }}'",
                                            options, scratch.path));
}

TEST(BetweenProcesses, MemoryIsShared) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  for (const char* text : {kByHandle, kByPool})
    for (const char* options : {"--tool none", ""}) {
      const Ran ran = run_both(options, text, 8);
      EXPECT_EQ(ran.out, "42 and 42\n") << text << ran.err;
      EXPECT_THAT(ran.err, testing::Not(HasSubstr("RACE"))) << text;
      EXPECT_THAT(ran.err, testing::Not(HasSubstr("UNINITIALISED"))) << text;
      EXPECT_THAT(ran.err, testing::Not(HasSubstr("OUT_OF_BOUNDS"))) << text;
    }
}

// The taker's memory ends where the giver's does.
TEST(BetweenProcesses, AnAccessBeyondTheMemoryOfAnotherIsFound) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  EXPECT_THAT(run_both("", kByHandle, 9).err,
              testing::AllOf(HasSubstr("OUT_OF_BOUNDS: kernel add"), HasSubstr("cudaIpcOpenMemHandle")));
}

TEST(BetweenProcesses, AHandleIsForOthersAndMustBeOne) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Scratch scratch;
  std::ofstream(scratch.path + "/own.cu") << R"(#include <cstdio>
int main() {
  int *x, *y, host = 0;
  cudaIpcMemHandle_t handle{};
  cudaMalloc(&x, 4);
  std::printf("%s\n", cudaGetErrorName(cudaIpcOpenMemHandle((void**)&y, handle, 1)));
  std::printf("%s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, &host)));
  cudaIpcGetMemHandle(&handle, x);
  std::printf("%s\n", cudaGetErrorName(cudaIpcOpenMemHandle((void**)&y, handle, 1)));
  std::printf("%s\n", cudaGetErrorName(cudaIpcCloseMemHandle(x)));
  std::printf("%s\n", cudaGetErrorName(cudaFree(x)));
})";
  const Ran built = selftest::run_command(fmt::format("'{1}' -o '{0}/own' '{0}/own.cu'", scratch.path, nvcc_here()));
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(selftest::run("assay", "run '" + scratch.path + "/own'").out,
            "cudaErrorInvalidValue\ncudaErrorInvalidValue\ncudaErrorDeviceUninitialized\ncudaErrorInvalidValue\n"
            "cudaSuccess\n");
}

}  // namespace
}  // namespace assay
