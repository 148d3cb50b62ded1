// Tests the steps from an adapter in memory to a module that is loaded and runs, for each build.
#include "harness/adapter/build/build.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/adapter/build/generate.h"
#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/adapter/read/launch_syntax.h"
#include "harness/base/printable.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr const char* kTranspose = R"(
#include <cuda_runtime.h>
#define rows 4  // a macro that is named like a dim of the contract
template <class T>
__global__ void flip(const T* in, T* out, int height, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < height * width) out[(i % width) * height + i / width] = in[i];
}
void host(const float* in, float* out) { flip<float><<<1, 32>>>(in, out, rows, rows); }
)";

Adapter transpose_adapter(const std::string& name) {
  Adapter adapter;
  adapter.source = "flip \"quoted\".cu";
  adapter.op = "transpose_2d";
  adapter.name = name;
  adapter.dtypes = {DType::f32, DType::bf16};
  adapter.requirements = {"cols != 3"};
  adapter.launches = {
      {.entry = "flip<T>", .args = {"in", "out", "rows", "cols"}, .grid = {"ceil_div(rows * cols, block)"}}};
  return adapter;
}

class Build : public selftest::OneInFour<> {
 protected:
  // The wrapper around `text`, as a file.
  KernelFile write(const Adapter& adapter, const std::string& text) {
    const std::string source = scratch_.path + "/source.cu";
    std::ofstream(source) << line_directive(1, adapter.source) << without_launch_syntax(text);
    std::ofstream(source + ".gpu") << line_directive(1, adapter.source) << text;
    KernelFile file{scratch_.path + "/wrapper.cu", {}, {}};
    std::ofstream(file.path) << wrapper_of(adapter, *find_op(adapter.op), source);
    return file;
  }
  // A name is loaded once.
  std::string module(const std::string& name = "module") const { return scratch_.path + "/" + name + ".so"; }

  static ResultRow run(const std::string& device, const std::string& line) {
    const auto c = read_case(line);
    const Variant* variant = find_variant(c->op, c->variant, device);
    EXPECT_NE(variant, nullptr) << line;
    return run_case(*c, *variant, **make_device(device));
  }

  selftest::Scratch scratch_;
};

TEST_F(Build, MakesAVariantForEachBuildOfTheExecutor) {
  for (const auto& [build, device] :
       {std::pair{KernelBuild::fast, "cpu"}, std::pair{KernelBuild::checked, "cpu-checked"}}) {
    const KernelFile file = write(transpose_adapter("flip"), kTranspose);
    const auto built = build_module(file, build, module(device));
    ASSERT_TRUE(built) << built.error().line();
    ASSERT_TRUE(load_modules({*built}));
    for (const char* dtype : {"f32", "bf16"}) {
      const std::string head = std::string("transpose_2d/flip ") + dtype;
      EXPECT_EQ(run(device, head + " rows=5 cols=7 fill=normal seed=1 block=64").verdict, Kind::pass);
      EXPECT_EQ(run(device, head + " rows=0 cols=7 fill=normal seed=1 block=64").verdict, Kind::pass) << "empty grid";
      const ResultRow unsupported = run(device, head + " rows=5 cols=3 fill=normal seed=1 block=64");
      EXPECT_EQ(unsupported.verdict, Kind::unsupported);
      EXPECT_EQ(unsupported.detail, "requires cols != 3");
    }
    EXPECT_EQ(run(device, "transpose_2d/flip f16 rows=5 cols=7 fill=normal seed=1 block=64").verdict,
              Kind::unsupported);
  }
}

TEST_F(Build, DimsAndTensorsMayHaveNamesThatTheWrapperUses) {
  // A dim called T beside the element type T, and a tensor called do.
  Adapter rope;
  rope.source = "turn.cu";
  rope.op = "rope";
  rope.name = "turn";
  rope.dtypes = {DType::f32, DType::f16};
  rope.launches = {
      {.entry = "turn<T>", .args = {"x", "out", "T * H * D"}, .grid = {"T"}, .shared = "sizeof(T) * block"}};
  constexpr const char* kTurn =
      "template <class T> __global__ void turn(const T* x, T* y, int n) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = x[i];\n}\n";
  EXPECT_TRUE(build_module(write(rope, kTurn), KernelBuild::fast, module("turn")));

  Adapter backward;
  backward.source = "back.cu";
  backward.op = "attention_backward";
  backward.name = "back";
  backward.dtypes = {DType::f32};
  backward.launches = {{.entry = "back", .args = {"do", "dq"}}};
  const auto built =
      build_module(write(backward, "__global__ void back(const float* dout, float* dq) { *dq = *dout; }\n"),
                   KernelBuild::fast, module("back"));
  EXPECT_TRUE(built) << built.error().line();
}

TEST_F(Build, MovesCasesToWhatIsRequired) {
  Adapter adapter = transpose_adapter("packs");
  adapter.requirements = {"rows % 8 == 0 && cols % 4 == 0"};
  const auto built = build_module(write(adapter, kTranspose), KernelBuild::fast, module());
  ASSERT_TRUE(built) << built.error().line();
  ASSERT_TRUE(load_modules({*built}));
  Case c = *read_case("transpose_2d/packs f32 rows=5 cols=7 fill=normal seed=1 block=64");
  find_variant("transpose_2d", "packs", "cpu")->adjust(c);
  EXPECT_EQ(c.dim("rows"), 8);
  EXPECT_EQ(c.dim("cols"), 8);
}

TEST_F(Build, APropertyThatNeedsAnUnsupportedCaseSaysNothing) {
  Adapter adapter = transpose_adapter("tall");
  adapter.requirements = {"rows > cols"};  // and transposing back would need a wide one
  const auto built = build_module(write(adapter, kTranspose), KernelBuild::fast, module());
  ASSERT_TRUE(built) << built.error().line();
  ASSERT_TRUE(load_modules({*built}));
  const ResultRow row = run("cpu", "transpose_2d/tall f32 rows=7 cols=5 fill=normal seed=1 block=64");
  EXPECT_EQ(row.verdict, Kind::pass) << row.detail;
}

// The build writes kernel_build.json by this function.
TEST_F(Build, QuotesAndBackslashesOfItsFlagsSurviveJson) {
  std::ofstream(scratch_.path + "/json.cmake") << R"(
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/harness/simt/build/kernel_module.cmake)
set(path [[/a "b" \c]])
set(words [[-DX="y\";SHELL:-mllvm z]])
assay_json_object(json STRINGS path LISTS words none)
message(NOTICE "${json}")
)";
  using nlohmann::json;
  const auto ran = selftest::run_command("cmake -D SOURCE=" ASSAY_SOURCE_DIR " -P " + scratch_.path + "/json.cmake");
  const json written = json::parse(ran.err, nullptr, false);
  ASSERT_TRUE(written.is_object()) << ran.err;
  EXPECT_EQ(written["path"], R"(/a "b" \c)");
  EXPECT_EQ(written["words"], json({R"(-DX="y\")", "-mllvm", "z"}));
  EXPECT_EQ(written["none"], json::array());
}

// Reading headers as text takes a third of the time of a small kernel. Builds that precompile nothing do so.
TEST_F(Build, ReadsPrecompiledHeaders) {
  for (const KernelBuild build : {KernelBuild::fast, KernelBuild::checked}) {
    KernelFile file = write(transpose_adapter("not_to_be"), "\n#error\n");
    file.flags = {"-H"};  // lists included files, with an exclamation mark in front of precompiled ones
    const auto built = build_module(file, build, module());
    ASSERT_FALSE(built);
    const std::string& words = built.error().what;
    const bool found = words.find("\n! ") != std::string::npos;
    EXPECT_EQ(found, bool{ASSAY_PRECOMPILES_HEADERS}) << words.substr(0, 2000);
    EXPECT_NE(words.find("/harness/op/variant.h\n") != std::string::npos, found) << words;
  }
}

TEST_F(Build, ACompilersWordsNameTheUsersLine) {
  const auto built =
      build_module(write(transpose_adapter("broken"), "\n\n__global__ void flip(float* x) { x[0] = nothing; }\n"),
                   KernelBuild::fast, module());
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().what, HasSubstr("flip 'quoted'.cu:3:"));
  EXPECT_THAT(built.error().what, HasSubstr("nothing"));
}

TEST_F(Build, AFunctionThatIsNowhereIsSaid) {
  const auto built = build_module(
      write(transpose_adapter("unlinked"), std::string("int elsewhere();\nint here = elsewhere();\n") + kTranspose),
      KernelBuild::fast, module());
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().what, HasSubstr("elsewhere"));
}

TEST_F(Build, MakesAVariantForAGpu) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const auto built = build_module(write(transpose_adapter("flip_gpu"), kTranspose), KernelBuild::gpu, module());
  ASSERT_TRUE(built) << built.error().line();
  ASSERT_TRUE(load_modules({*built}));
  EXPECT_NE(find_variant("transpose_2d", "flip_gpu", "gpu"), nullptr);
}

}  // namespace
}  // namespace assay
