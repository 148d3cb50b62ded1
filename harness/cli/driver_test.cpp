// `assay run` on programs that use the driver's API: PTX is loaded, launched and captured, and a bug is found.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Scratch;
using testing::HasSubstr;

// A program that looks the driver's functions up. Its kernel scales `n` integers, of which there are 16, and one more.
constexpr const char* kDriverProgram = R"(#include <dlfcn.h>
#include <cstdio>
const char* const source = R"X(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 x, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.gt.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r3, [factor];
  ld.global.u32 %r5, [%rd4];
  mul.lo.u32 %r6, %r5, %r3;
  st.global.u32 [%rd4], %r6;
DONE:
  ret;
}
)X";
void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
template <class... Arguments>
int ask(const char* name, Arguments... arguments) {
  void* const function = dlsym(driver, name);
  const int result = function ? reinterpret_cast<int (*)(Arguments...)>(function)(arguments...) : -1;
  if (result != 0) std::printf("%s: %d\n", name, result);
  return result;
}
int main() {
  using Address = unsigned long long;
  void *context, *module, *kernel;
  Address x, factor;
  size_t bytes;
  ask("cuInit", 0u);
  ask("cuDevicePrimaryCtxRetain", &context, 0);
  ask("cuCtxSetCurrent", context);
  ask("cuModuleLoadData", &module, source);
  ask("cuModuleGetFunction", &kernel, module, "scale");
  ask("cuModuleGetGlobal_v2", &factor, &bytes, module, "factor");
  ask("cuMemAlloc_v2", &x, size_t{64});
  ask("cuMemsetD32_v2", x, 5u, size_t{16});
  unsigned n = 15;
  void* arguments[] = {&x, &n};
  const auto launch = [&](void* stream) {
    ask("cuLaunchKernel", kernel, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, static_cast<void**>(arguments),
        static_cast<void**>(nullptr));
  };
  const auto say = [&](const char* what) {
    int values[16];
    ask("cuMemcpyDtoH_v2", static_cast<void*>(values), x, sizeof values);
    std::printf("%s: %d and %d\n", what, values[0], values[15]);
  };
)";

std::string run_main(const Scratch& scratch, const std::string& text, std::string& errors) {
  std::ofstream(scratch.path + "/main.cpp") << kDriverProgram << text << "}\n";
  const auto built =
      selftest::run_command(fmt::format("c++ -std=c++17 -o '{0}/main' '{0}/main.cpp' -ldl", scratch.path));
  EXPECT_EQ(built.exit_code, 0) << built.err;
  const auto ran = selftest::run("assay", "run '" + scratch.path + "/main'");
  errors = ran.err;
  return ran.out;
}

TEST(DriverApi, LaunchesPtxAndWritesItsVariables) {
  const Scratch scratch;
  std::string errors;
  const std::string out = run_main(scratch, R"(
  launch(nullptr);
  say("by 3");
  const int two = 2;
  ask("cuMemcpyHtoD_v2", factor, static_cast<const void*>(&two), sizeof two);
  launch(nullptr);
  say("by 2");
  ask("cuMemFree_v2", x);
)",
                                   errors);
  EXPECT_EQ(out, "by 3: 15 and 15\nby 2: 30 and 30\n");
  EXPECT_THAT(errors, HasSubstr("no findings"));
}

// The arguments are those of the time of capture, and nothing runs before the graph is launched.
TEST(DriverApi, RunsWhatAStreamHasCaptured) {
  const Scratch scratch;
  std::string errors;
  const std::string out = run_main(scratch, R"(
  void *stream, *graph, *runnable;
  ask("cuStreamCreate", &stream, 0u);
  ask("cuStreamBeginCapture_v2", stream, 0);
  launch(stream);
  n = 0;
  ask("cuStreamEndCapture", stream, &graph);
  say("before");
  ask("cuGraphInstantiateWithFlags", &runnable, graph, 0ull);
  ask("cuGraphLaunch", runnable, stream);
  ask("cuGraphLaunch", runnable, stream);
  say("after");
  ask("cuStreamBeginCapture_v2", stream, 0);
  ask("cuStreamSynchronize", stream);
  ask("cuStreamEndCapture", stream, &graph);
  ask("cuMemFree_v2", x);
)",
                                   errors);
  EXPECT_EQ(out, "before: 5 and 5\nafter: 45 and 45\ncuStreamSynchronize: 900\ncuStreamEndCapture: 901\n");
  EXPECT_THAT(errors, HasSubstr("no findings"));
}

// Two handles of one memory, as two processes would have them, behind two ranges.
TEST(DriverApi, MapsMemoryByADescriptor) {
  const Scratch scratch;
  std::string errors;
  const std::string out = run_main(scratch, R"(
  struct { int type = 1, requested = 1, location = 1, device = 0; void* windows = nullptr;
           unsigned char compression = 1, rdma = 0; unsigned short usage = 0; unsigned char reserved[4] = {}; } wanted, got;
  struct { int type = 1, device = 0, flags = 3; } access;
  const size_t size = 2 << 20, aligned = 8 << 20;
  Address handles[2], at[2];
  int file = -1, values[16] = {};
  ask("cuMemCreate", &handles[0], size, (const void*)&wanted, 0ull);
  ask("cuMemGetAllocationPropertiesFromHandle", (void*)&got, handles[0]);
  std::printf("compression %d\n", got.compression);
  ask("cuMemExportToShareableHandle", (void*)&file, handles[0], 1, 0ull);
  ask("cuMemImportFromShareableHandle", &handles[1], (void*)(size_t)file, 1);
  for (int i = 0; i < 2; ++i) {
    ask("cuMemAddressReserve", &at[i], size, aligned, Address{0}, 0ull);
    ask("cuMemMap", at[i], size, size_t{0}, handles[i], 0ull);
    ask("cuMemSetAccess", at[i], size, (const void*)&access, size_t{1});
    ask("cuMemRelease", handles[i]);
  }
  std::printf("%d and %d, %d\n", int(at[0] % aligned), int(at[1] % aligned), at[0] != at[1]);
  ask("cuMemsetD32_v2", at[0], 5u, size_t{16});
  x = at[1];
  launch(nullptr);
  x = at[0];
  say("written by the other");
  for (int i = 0; i < 2; ++i) ask("cuMemUnmap", at[i], size), ask("cuMemAddressFree", at[i], size);
)",
                                   errors);
  EXPECT_EQ(out, "compression 1\n0 and 0, 1\nwritten by the other: 15 and 15\n");
  EXPECT_THAT(errors, HasSubstr("1 LEAK"));  // what x was before
}

TEST(DriverApi, FindsABugOfACapturedKernelWhenItsGraphIsLaunched) {
  const Scratch scratch;
  std::string errors;
  const std::string out = run_main(scratch, R"(
  void *stream, *graph, *runnable;
  ask("cuStreamCreate", &stream, 0u);
  ask("cuStreamBeginCapture_v2", stream, 0);
  n = 16;
  launch(stream);
  ask("cuStreamEndCapture", stream, &graph);
  ask("cuGraphInstantiateWithFlags", &runnable, graph, 0ull);
  std::fputs("captured\n", stderr);
  ask("cuGraphLaunch", runnable, stream);
  ask("cuMemFree_v2", x);
)",
                                   errors);
  EXPECT_EQ(out, "");
  EXPECT_THAT(errors, testing::StartsWith("captured\n"));
  EXPECT_THAT(errors, HasSubstr("OUT_OF_BOUNDS: kernel scale block (0,0,0): memory 1 of cuMemAlloc, byte 64"));
}

TEST(DriverApi, NamesACallThatIsNotSupported) {
  const Scratch scratch;
  std::string errors;
  const std::string out = run_main(scratch, R"(
  void* array = nullptr;
  ask("cuMulticastCreate", &array, &array);
  ask("cuMemFree_v2", x);
)",
                                   errors);
  EXPECT_EQ(out, "cuMulticastCreate: 801\n");
  EXPECT_THAT(errors, HasSubstr("not supported: cuMulticastCreate, called 1 times"));
}

}  // namespace
}  // namespace assay
