// A compiler knows more of a file than its text shows: behind macros, aliases, templates and headers.
#include "harness/adapter/read/read_by_clang.h"

#include <gmock/gmock.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/adapter/bind/infer_launch.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/build/build.h"
#include "harness/adapter/read/test_read_by_clang.h"
#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST_F(ReadByClang, TypesAreWhatTheirNamesStandFor) {
  write("types.h", "#define IN(T) const T* __restrict__\ntypedef __half scalar;\ntemplate <class T> using ptr = T*;\n");
  const CudaSource source = read(
      "#include <cuda_fp16.h>\n#include \"types.h\"\n"
      "__global__ void k(IN(scalar) x, ptr<scalar> y, size_t n) { y[n] = x[n]; }\n");
  const auto& parameters = kernel(source, "k").parameters;
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].type, "__half");
  EXPECT_TRUE(parameters[0].is_const && parameters[0].is_pointer);
  EXPECT_EQ(parameters[1].type, "__half");
  EXPECT_FALSE(parameters[1].is_const);
  EXPECT_EQ(parameters[2].type, "unsigned long");
}

TEST_F(ReadByClang, TexturesAreNoNumbers) {
  const CudaSource source = read("__global__ void k(cudaTextureObject_t image, float* y) { *y = 1; }\n");
  EXPECT_EQ(kernel(source, "k").parameters[0].type, "cudaTextureObject_t");
}

TEST_F(ReadByClang, UsesAreFollowedThroughCallsAndPointers) {
  const CudaSource source = read(R"(
__device__ float first(const float* p) { return *p; }
template <class T> __device__ void put(T& place, T value) { place = value; }
__global__ void k(float* read, float* written, float* both, float* added, float* moved, float* unused) {
  float* row = written + 4 * blockIdx.x;
  put(row[threadIdx.x], first(read + threadIdx.x));
  both[0] += 1;
  atomicAdd(&added[threadIdx.x], 1.f);
  moved += blockIdx.x;
  reinterpret_cast<float4*>(moved)[threadIdx.x].x = 0;
})");
  const auto& uses = kernel(source, "k").uses;
  EXPECT_TRUE(uses.at("read").read && !uses.at("read").written);
  EXPECT_TRUE(uses.at("written").written && !uses.at("written").read);
  EXPECT_TRUE(uses.at("both").written && uses.at("both").read && !uses.at("both").many);
  EXPECT_TRUE(uses.at("added").added_to && uses.at("added").many);
  EXPECT_TRUE(uses.at("moved").written && !uses.at("moved").read);
  EXPECT_FALSE(uses.at("unused").indexed);
}

// Nothing declares the function, and the launch is there.
TEST_F(ReadByClang, AGridByAFunctionThatIsNotHereIsReadAsItStands) {
  const CudaSource source = read(
      "__global__ void k(float* x, int n) {}\n"
      "void f(float* x, int n) { int grid = blocks_for(n, 256); k<<<grid, 256>>>(x, n); }\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_THAT(source.launches[0].configuration.at(0), HasSubstr("blocks_for"));
}

// With an operator + for classes in sight, what a template adds to a pointer may be a call of it.
TEST_F(ReadByClang, UsesOfPointersThatTemplatesAddTo) {
  const CudaSource source = read(
      "#include <cuda_fp16.h>\ntemplate <class I, class T> __global__ void k(const I* ids, T* sums) {\n"
      "  I id = ids[0];\n  atomicAdd(sums + id * 4 + threadIdx.x, T(1));\n}\n");
  EXPECT_TRUE(kernel(source, "k").uses.at("sums").added_to);
}

TEST_F(ReadByClang, OverloadsAreKnownByTheirTypes) {
  const CudaSource source = read(
      "#include <cuda_fp16.h>\n__global__ void gelu(const float* x, float* y, int n) {}\n"
      "__global__ void gelu(const half* x, half* y, int n) {}\n");
  ASSERT_EQ(source.kernels.size(), 2u);
  const Inferred half = infer_entry(source, source.kernels[1], *find_op("gelu_forward"), "k.cu");
  EXPECT_EQ(half.adapter.launches.at(0).entry, "gelu(const __half*, __half*, int)");
  EXPECT_EQ(kernel_of(half.adapter.launches.at(0).entry), "gelu");
}

TEST_F(ReadByClang, LaunchesAreFoundBehindMacrosAndDispatch) {
  const CudaSource source = read(R"(
#include <torch/extension.h>
struct Twice { static __device__ float of(float x) { return 2 * x; } };
template <typename scalar_t, class Op, int V> __global__ void k(scalar_t* y, const scalar_t* x, int n) {
  y[threadIdx.x] = Op::of(x[threadIdx.x]);
}
#define LAUNCH(V) AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "k", [&] { \
    k<scalar_t, Twice, V><<<grid, block>>>(y.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), n); });
int up(int a, int b) { return (a + b - 1) / b; }
void op(at::Tensor y, at::Tensor x, int n) {
  TORCH_CHECK(n % 4 == 0, "whole vectors");
  constexpr int threads = 128;
  dim3 grid(up(n, threads), 2), block(threads);
  if (n % 8 == 0) { LAUNCH(8) } else { LAUNCH(4) }
})");
  std::vector<std::vector<std::string>> instances;
  for (const KernelInstance& each : kernel(source, "k").instances) instances.push_back(each.arguments);
  EXPECT_THAT(instances, UnorderedElementsAre(ElementsAre("float", "Twice", "8"), ElementsAre("float", "Twice", "4")));
  ASSERT_EQ(source.launches.size(), 2u);
  const LaunchSource& launch = source.launches[0];
  EXPECT_EQ(launch.kernel, "k<float, Twice, 8>");
  EXPECT_THAT(launch.configuration, Contains("128"));
  EXPECT_THAT(launch.configuration[0], HasSubstr("(n + 128 - 1) / 128"));
  EXPECT_THAT(launch.conditions, ElementsAre("n % 8 == 0", "n % 4 == 0"));
  EXPECT_THAT(source.launches[1].conditions, Contains("!(n % 8 == 0)"));
}

TEST_F(ReadByClang, WhatFollowsAnEarlyReturnIsReachedOtherwise) {
  const CudaSource source = read(R"(
#include <cstdlib>
__global__ void k(float* x, int n) {}
bool launch(float* x, int n, int m) {
  if (n % 32 || m % 8) { return false; }
  if (n > 4096) abort();
  if (m == 3) n = 4;
  k<<<n / 32, 32>>>(x, n);
  if (m == 5) return false;
  return true;
})");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_THAT(source.launches[0].conditions, ElementsAre("!(n % 32 || m % 8)", "!(n > 4096)"));
}

// A structure of pointers and numbers stands for its fields, wherever it is passed.
TEST_F(ReadByClang, FieldsOfStructuresAreParameters) {
  const CudaSource source = read(R"(
struct Args { const float* x; float* y; int rows, cols; };
struct Point { float a, b; };
__global__ void k(Args args, Point p) {
  for (int c = threadIdx.x; c < args.cols; c += blockDim.x) args.y[c] = args.x[c] * p.a;
}
void launch(Args args) { k<<<args.rows, 32>>>(args, Point{1, 2}); })");
  const KernelSource& k = kernel(source, "k");
  std::vector<std::string> names;
  for (const Parameter& each : k.parameters) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("x", "y", "rows", "cols", "p"));
  EXPECT_EQ(k.parameters[0].record, "args");
  EXPECT_EQ(k.parameters[0].record_type, "Args");
  EXPECT_TRUE(k.uses.at("x").read && !k.uses.at("x").written);
  EXPECT_TRUE(k.uses.at("y").written && !k.uses.at("y").read);
  ASSERT_EQ(k.facts.comparisons.size(), 1u);
  EXPECT_EQ(k.facts.comparisons[0].bound, "cols");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_EQ(source.launches[0].configuration[0], "rows");
  EXPECT_THAT(source.launches[0].arguments, Contains("cols"));
}

// The extents of a grid of one axis, in the function's parameters.
TEST_F(ReadByClang, CeilingsOfFloatingQuotientsAreRoundedUp) {
  const auto grid = [&](const std::string& extent) {
    const CudaSource source = read(
        "#include <cmath>\n#include \"missing.h\"\n__global__ void k(float* x, int n) {}\n"
        "void f(float* x, int a, int b, int c) { k<<<" +
        extent + ", 32>>>(x, a); }\n");
    return source.launches.empty() ? "no launch" : source.launches[0].configuration[0];
  };
  for (const char* text : {"ceil(a / (float)b)", "(unsigned int)ceil((float)a / b)", "std::ceil(double(a) / double(b))",
                           "int(ceilf(static_cast<float>(a) / b))", "ceil(a * 1.0 / b)", "ceil(1.0f * a / b)"})
    EXPECT_EQ(grid(text), "ceil_div(a, b)") << text;
  EXPECT_EQ(grid("ceil(a * b / 256.0f) + 1"), "ceil_div(a * b, 256) + 1");
  EXPECT_EQ(grid("ceil(a / (float)kMissing)"), "ceil_div(a, kMissing)");
  // The quotient of whole numbers is cut off before; 0.5 and a sum are no rounded quotient.
  for (const char* text :
       {"ceil(a / b)", "ceil((float)(a / b))", "ceil(a / 0.5f)", "ceil((float)a / b + c)", "ceil((float)a / b / c)"})
    EXPECT_THAT(grid(text), HasSubstr("ceil(")) << text;
}

TEST_F(ReadByClang, AxesOfExtentsAreKnown) {
  const CudaSource source = read(
      "__global__ void k(float* x, int n, int m, int l) {}\n"
      "void f(float* x, int a) { dim3 size(32, a + 1), changed(2); changed.x = a;\n"
      "  k<<<size, 32>>>(x, size.x * size.y, size.z, changed.x); }\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_THAT(source.launches[0].arguments, ElementsAre("x", "32 * (a + 1)", "1", "changed.x"));
}

TEST_F(ReadByClang, WhatASizeBecomesBeforeTheLaunchIsPassed) {
  const auto passed = [&](const std::string& before, const std::string& argument = "n") {
    const CudaSource source = read(
        "__global__ void k(float* x, int n);\n"
        "void fill(int n, int& m);\n"
        "void f(float* x, int n) { " +
        before + " k<<<1, 32>>>(x, " + argument + "); }\n");
    return source.launches.at(0).arguments.at(1);
  };
  EXPECT_EQ(passed("if (n % 4 != 0) return; n >>= 2;"), "(n / 4)");
  EXPECT_EQ(passed("n *= 3;"), "(n * 3)");
  EXPECT_EQ(passed("int m = n + 1; m <<= 1;", "m"), "((n + 1) * 2)");
  EXPECT_EQ(passed("int m = 256; if (n < 256) m = n;", "m"), "((n < 256) ? (n) : 256)");
  EXPECT_EQ(passed("if (n > 9) { n = 9; }"), "((n > 9) ? (9) : n)");
  EXPECT_EQ(passed("auto parts = [](int all, int each) { return (all + each - 1) / each; };", "parts(n, 64)"),
            "((n + 64 - 1) / 64)");
  for (const char* unknown : {"if (n > 9) n /= 4;", "n /= 4; n += 1;", "n >>= n;", "for (; n > 9; n /= 2) {}",
                              "if (n > 9) n = 9; else n = 3;", "if (n > 9) n = 9; if (n < 4) n = 4;"})
    EXPECT_EQ(passed(unknown), "n") << unknown;
}

TEST_F(ReadByClang, KernelsOfMacrosAndSpecialisationsAreKernels) {
  const CudaSource source = read(R"(
#define KERNEL(name, op) __global__ void name(float* y, const float* x) { y[threadIdx.x] = op(x[threadIdx.x]); }
KERNEL(roots, sqrtf)
template <class T> __global__ void cast(T* y);
template <> __global__ void cast<float>(float* y) { *y = 1; }
)");
  EXPECT_THAT(kernel(source, "roots").facts.calls, ElementsAre("sqrtf"));
  EXPECT_EQ(kernel(source, "cast").qualified_name, "cast<float>");
}

// A grid of rows / 4 leaves rows out unless there are whole fours; one that is rounded up asks for nothing.
TEST_F(ReadByClang, GridsOfWholePartsAreRequirements) {
  const auto required = [&](const std::string& grid) {
    const CudaSource source = read(
        "__global__ void k(float* x, int rows) { x[threadIdx.x] = 0; }\n"
        "void run(float* x, int rows) { k<<<" +
        grid + ", 256>>>(x, rows); }\n");
    const KernelSource& called = kernel(source, "k");
    const Contract& op = *find_op("softmax_forward");
    return infer_launch(source, called, match_parameters(called, op), op).requirements;
  };
  EXPECT_THAT(required("rows / 4"), ElementsAre("rows % 4 == 0"));
  EXPECT_THAT(required("(rows + 3) / 4"), IsEmpty());
  EXPECT_THAT(required("(rows - 1) / 4 + 1"), IsEmpty());
}

// A specialisation may have other arguments by the same names: the general kernel says nothing of its element type.
TEST_F(ReadByClang, AGeneralKernelIsNotJudgedWhereItIsSpecialised) {
  const std::string general =
      "#include <cuda_fp16.h>\ntemplate <class T> __global__ void transpose_2d(const T* x, T* y, int rows, int cols) "
      "{ y[blockIdx.x] = x[threadIdx.x]; }\n";
  const auto dtypes = [&](const std::string& text) {
    const CudaSource source = read(text);
    return infer_entry(source, kernel(source, "transpose_2d"), *find_op("transpose_2d"), "k.cu").adapter.dtypes;
  };
  EXPECT_THAT(dtypes(general), Contains(DType::f16));
  const std::string half = "template <> __global__ void transpose_2d<__half>(const __half*, __half*, int, int) {}\n";
  EXPECT_THAT(dtypes(general + half), AllOf(Contains(DType::f32), Not(Contains(DType::f16))));
}

TEST_F(ReadByClang, AssertionsAreRequirements) {
  const CudaSource source =
      read("#include <cassert>\n__global__ void k(float* y, int n) { assert(n % 32 == 0); *y = n; }");
  EXPECT_THAT(kernel(source, "k").requirements, ElementsAre("n % 32 == 0"));
}

// The text of the pieces needs neither the user's headers nor those that nobody has.
TEST_F(ReadByClang, OnlyWhatAKernelReachesIsCompiled) {
  write("all.h",
        "#include <nobody/has/this.h>\n#define SCALE 3\nnamespace math { struct Gain { float g; };\n"
        "__device__ inline float apply(Gain g, float x) { return g.g * x * SCALE; } }\nUnknown unused();\n");
  const CudaSource source = read(
      "#include \"all.h\"\nnamespace m = math;\n"
      "__global__ void k(float* y) { *y = m::apply({2}, *y); }\n"
      "int main() { return unknown_to_all(); }\n");
  const std::string text = source.pieces->reached({"k"}).text;
  for (const char* kept :
       {"#define SCALE 3", "namespace math {", "struct Gain", "namespace m = math;", "__global__ void k"})
    EXPECT_THAT(text, HasSubstr(kept));
  for (const char* left : {"all.h>", "nobody", "unused", "main()"}) EXPECT_THAT(text, Not(HasSubstr(left)));
  EXPECT_THAT(source.pieces->missing, ElementsAre("nobody/has/this.h"));
  EXPECT_EQ(source.pieces->reached({"another"}).text, "");
}

TEST_F(ReadByClang, LaunchesOfOtherFilesCount) {
  write("launcher.cu", "#include \"k.cu\"\nvoid run(float* x, int rows) { k<float, 4><<<rows, 256>>>(x); }\n");
  const CudaSource source = read("template <class T, int V> __global__ void k(T* x) { x[V] = 0; }\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_THAT(source.launches[0].configuration, ElementsAre("rows", "256"));
  ASSERT_EQ(kernel(source, "k").instances.size(), 1u);
  EXPECT_THAT(kernel(source, "k").instances[0].arguments, ElementsAre("float", "4"));
}

TEST_F(ReadByClang, AKernelIsKnownInAFileWhoseHeaderIsMissing) {
  write("test.cu", "#include \"moved/k.cuh\"\nvoid test(float* x, int rows) { k<4><<<rows, 256>>>(x); }\n");
  const CudaSource source = read("template <int V> __global__ void k(float* x) { x[V] = 0; }\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_THAT(source.launches[0].template_arguments, ElementsAre("4"));
  EXPECT_EQ(source.launches[0].line, 2);
}

TEST_F(ReadByClang, ATemplateThatLaunchesIsReadWhereItIsInstantiated) {
  const std::string header =
      "#pragma once\nnamespace a {\ntemplate <class T> __global__ void k(float* x) { x[T::kBlock] = 0; }\n"
      "template <int B> struct Traits { static constexpr int kBlock = B; };\n"
      "template <int B> void launch(float* x, int rows) { k<Traits<B>><<<rows, B * 2>>>(x); }\n}\n";
  write("k.cuh", header);
  write("other.cu",
        "#define RUN(kernel) kernel<<<1, 1>>>(x)\nnamespace b { template <class T> __global__ void k(float* x) {} }\n"
        "#include \"k.cuh\"\nvoid f(float* x) { a::launch<32>(x, 1); RUN(b::k<int>); }\n");
  const auto source = read_by_clang({header, 1}, scratch_.path + "/k.cuh", {}, "k", {});
  ASSERT_TRUE(source);
  ASSERT_EQ(source->launches.size(), 1u) << "that of b::k is of another kernel";
  EXPECT_THAT(source->launches[0].template_arguments, ElementsAre("a::Traits<32>"));
  EXPECT_EQ(source->launches[0].configuration.back(), "64");
}

// A test's own sizes are named, the sizes that a kernel is made for are numbers.
TEST_F(ReadByClang, ConstantsThatALaunchPassesKeepTheirNamesUnlessItsBlockIsMadeOfThem) {
  const CudaSource source = read(
      "__global__ void k(float* x, int n, int block) {}\n"
      "void test(float* x) {\n  constexpr int N = 1024, kBlock = 128, kHalf = N / 2;\n"
      "  k<<<kHalf / kBlock, kBlock>>>(x, N, kBlock);\n}\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_THAT(source.launches[0].arguments, ElementsAre("x", "N", "128"));
  EXPECT_THAT(source.launches[0].configuration, ElementsAre("(N / 2) / 128", "128"));
  const CudaSource few = read(
      "__global__ void k(float* x, int rows, int cols) {}\n"
      "void test(float* x) {\n  constexpr int rows = 2, cols = 3;\n"
      "  k<<<rows, cols>>>(x, rows, cols);\n}\n");
  EXPECT_THAT(few.launches.at(0).configuration, ElementsAre("rows", "cols")) << "no block is made for 3 threads";
}

TEST_F(ReadByClang, FoldersBelowCountInARepositoryOnly) {
  std::filesystem::create_directory(scratch_.path + "/below");
  write("below/launcher.cu", "#include \"../k.cu\"\nvoid run(float* x, int rows) { k<4><<<rows, 256>>>(x); }\n");
  const std::string text = "template <int V> __global__ void k(float* x) { x[V] = 0; }\n";
  EXPECT_THAT(read(text).launches, IsEmpty());
  std::filesystem::create_directory(scratch_.path + "/.git");
  EXPECT_EQ(read(text).launches.size(), 1u);
}

// A block that is no multiple of a warp would leave lanes of a sum without a value.
TEST_F(ReadByClang, KernelsOfWholeWarpsAreKnownByTheirHeaders) {
  write("sum.h", "__device__ inline float sum(float v) { return v + __shfl_xor_sync(~0u, v, 1); }\n");
  const auto by_warps = [&](const std::string& sum) {
    const CudaSource source = read("#include \"sum.h\"\n__global__ void k(float* y) { *y = " + sum + "; }\n");
    return infer_launch(source, kernel(source, "k"), std::vector<Match>(1), *find_op("softmax_forward")).whole_warps;
  };
  EXPECT_TRUE(by_warps("sum(*y)"));
  EXPECT_FALSE(by_warps("2 * *y"));
}

// Those of a file with an error, and of host code with `new`, by which Clang crashes with such headers, are read anew.
TEST_F(ReadByClang, PrecompiledHeadersChangeNoAnswer) {
  const std::vector<std::string> words = reader_words({}, {});
  ASSERT_TRUE(std::filesystem::exists(words[0] + ".pch"));
  const std::string plain = scratch_.path + "/assay_read";  // which has none beside it
  std::filesystem::copy_file(words[0], plain);
  const std::string kernel =
      "#include <cuda_fp16.h>\ntemplate <class T> __global__ void k(T* y, const T* x, int n) { if (n) y[n] = x[n]; }\n";
  for (const char* host : {"void f(__half* y, int n) { k<<<n / 4, 256>>>(y, y, n); }\n",
                           "void f(int n) { float* y = new float[n]; k<<<n, 32>>>(y, y, n); delete[] y; }\n",
                           "void f(float* y, int n) { k<<<n, 32>>>(y, y, n); int m = ; }\n"}) {
    write("k.cu", kernel + host);
    const std::string file = scratch_.path + "/k.cu";
    const auto answer = [&](const std::string& program) {
      std::vector<std::string> call = words;
      call[0] = program;
      call.insert(call.begin() + 2, {file, file, scratch_.path + "/answer.json"});
      const selftest::Ran ran = selftest::run_command(fmt::format("{}", fmt::join(call, " ")));
      EXPECT_EQ(ran.exit_code, 0) << host;
      std::ifstream in(scratch_.path + "/answer.json");
      nlohmann::json read = nlohmann::json::parse(in, nullptr, false);
      if (read.is_object()) read.erase("files");  // the headers are among them where they are read
      std::filesystem::remove(scratch_.path + "/answer.json");
      return read;
    };
    const auto with = answer(words[0]), without = answer(plain);
    EXPECT_EQ(with, without) << host;
    EXPECT_EQ(with.value("launches", nlohmann::json()).size(), 1u) << host;
  }
}

TEST_F(ReadByClang, ErrorsLeaveWhatIsAroundThem) {
  EXPECT_EQ(kernel(read("__global__ void k(float* y) { *y = ; }\n"), "k").parameters.size(), 1u);
}

// Names of a header that is missing.
TEST_F(ReadByClang, LaunchesWithNamesThatNothingDeclaresAreLaunches) {
  const CudaSource source = read(
      "#include \"missing.h\"\ntemplate <class T> __global__ void k(T* y, int n) {}\n"
      "void f(Tensor& y) {\n  int n = y.size(0);\n  dim3 grid(CEIL(n, kWidth), 2);\n"
      "  DISPATCH(y.type(), [&] { k<scalar_t><<<grid, kWidth>>>(y.data<scalar_t>(), n); });\n}\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_EQ(source.launches[0].kernel, "k<float>");
  EXPECT_THAT(source.launches[0].configuration, ElementsAre("dim3(CEIL(n, kWidth), 2)", "kWidth"));
  EXPECT_EQ(source.launches[0].arguments[1], "n");
}

TEST_F(ReadByClang, ANamespaceThatIsOpenedIsThereThoughNothingOfItIsNeeded) {
  const std::string text =
      "namespace a { inline namespace v1 { struct unused {}; } }\n"
      "namespace b { using namespace a::v1; __global__ void k(float* y) { *y = 1; } }\n";
  EXPECT_THAT(kernel(read(text), "k").reached.text,
              AllOf(HasSubstr("namespace a { inline namespace v1 {} }\n"), Not(HasSubstr("unused"))));
}

// Files guard some text for nvcc, and choose by its version.
TEST_F(ReadByClang, ReadsAsNvccOfThirteenDoes) {
  const CudaSource source = read(
      "#include <cuda.h>\n#if CUDA_VERSION >= 12000 && CUDART_VERSION >= 12000\n#ifdef __CUDACC__\n"
      "__global__ void k(float* y) { *y = 1; }\n#endif\n#endif\n");
  EXPECT_EQ(source.kernels.size(), 1u);
  EXPECT_THAT(source.constants, IsEmpty()) << source.constants[0].first;
}

TEST_F(ReadByClang, WithoutItAnAdapterStillSays) {
  write("k.cu",
        "__global__ void twice(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * x[i] * x[i] / x[i] / x[i]; }\n");
  setenv("ASSAY_WITHOUT", "assay_read", 1);
  const auto none = read_by_clang({"", 1}, "k.cu", {}, "");
  EXPECT_TRUE(none && !none->is_read);
  EXPECT_THAT(not_read("k.cu").line(), AllOf(HasSubstr("without assay_read"), HasSubstr("scripts/setup")));
  unsetenv("ASSAY_WITHOUT");
}

}  // namespace
}  // namespace assay
