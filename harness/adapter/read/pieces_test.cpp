// The pieces that a kernel reaches, as people write files: what is among them, and that they are a file of their own.
#include "harness/adapter/read/pieces.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "harness/adapter/read/test_read_by_clang.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Pieces : public ReadByClang {
 protected:
  std::string from(const std::string& text, const std::string& root = "k") const {
    const CudaSource source = read(text);
    return source.pieces ? source.pieces->reached({root}).text : "";
  }
};

// Each: a text with one kernel k, what must stay of it, and what must go.
struct Trait {
  const char* name;
  const char* text;
  std::vector<const char*> stays, goes;
};

const Trait kTraits[] = {
    {"WhatAKernelNamesAndWhatThatNames",
     "#include <cuda_runtime.h>\n#define WIDTH 32\nconstexpr int kTile = WIDTH * 2, kOther = 3;\n"
     "struct Pair { float a, b; };\ntypedef Pair PairOfFloats;\n__device__ float twice(float x) { return 2 * x; }\n"
     "template <int N = kTile>\n__device__ inline PairOfFloats both(float x) { return {twice(x), x * N}; }\n"
     "__device__ float unused(float x) { return missing_function(x); }\n"
     "__global__ void k(float* y) { y[0] = both<>(1.f).a; }\n"
     "__global__ void other(float* y) { asm(\"mov.u32 %0, %laneid;\"); }\n"
     "int main(int argc, char** argv) { Missing t; k<<<1, 1>>>(nullptr); }\n",
     {"kTile = WIDTH", "#define WIDTH 32", "struct Pair", "typedef Pair", "float twice", "both(float x)"},
     {"unused", "other(", "main", "Missing"}},
    {"Namespaces",
     "namespace a { namespace { __device__ int f() { return 1; }\n int g(at::Tensor t) { return 2; } } }\n"
     "namespace a::b { __global__ void k(int* x) { *x = f(); } }\n",
     {"namespace a {\nnamespace  {\n", "int f()", "namespace b {\n", "void k("},
     {"at::Tensor"}},
    {"NamespacesOfTheSystem",
     "#include <cuda/std/cmath>\n__global__ void k(float* x) { *x = cuda::std::fmax(*x, 1.f); }\n",
     {"#include <cuda/std/cmath>\n"},
     {}},
    {"ExternC",
     "extern \"C\" {\n__global__ void k(int* x) {}\nvoid launch(Missing m) {}\n}\nextern \"C\" void other(Missing m) "
     "{}\n",
     {"extern \"C\" {", "void k(", "}"},
     {"launch", "other"}},
    {"MacrosOfAMissingHeader",
     "__global__ void k(int* x) {}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"k\", &f, \"k\"); }\n"
     "TORCH_LIBRARY_FRAGMENT(a, m) {\n}\nBIND(k, float)\nREGISTER(k)\nint f(Missing);\n",
     {"void k("},
     {"PYBIND11", "TORCH_LIBRARY", "BIND", "REGISTER", "Missing"}},
    {"AnnotationsOfPyTorch",
     "#include <torch/all.h>\nC10_LAUNCH_BOUNDS_1(512)\n__global__ void k(int* x) {}\n",
     {"#include <harness/reader/torch_stubs.h>\n", "C10_LAUNCH_BOUNDS_1(512)\n__global__ void k("},
     {"torch/all.h"}},
    {"AnnotationsOfOurs",
     "#define BOUNDS(n) __launch_bounds__(n)\nBOUNDS(64)\n__global__ void k(int* x) {}\nstatic __global__ void\n"
     "__launch_bounds__(32) other(int* x) {}\n",
     {"BOUNDS(64)\n__global__ void k"},
     {"other"}},
    {"KernelsThatAMacroWrites",
     "#define DEFINE(name, op) __global__ void k##name(int* x) { *x = op(1); }\n"
     "__device__ int twice(int x) { return 2 * x; }\n__device__ int none(int x) { return x; }\n"
     "DEFINE(1, none)\nDEFINE(, twice)\nDEFINE(2, none)\n",
     {"DEFINE(, twice)", "int twice"},
     {"DEFINE(1, none)", "DEFINE(2, none)", "int none"}},
    {"NamesThatAMacroJoins",
     "__device__ int f_32() { return 1; }\n__device__ int f_64() { return 1; }\n#define CALL(n) f_##n()\n#define "
     "TWICE(n) CALL(n) + CALL(n)\n__global__ void k(int* x) { *x = TWICE(32); }\n",
     {"int f_32()", "#define CALL(n)", "#define TWICE(n)"},
     {"int f_64()"}},
    {"TheBranchThatIsCompiled",
     "#ifdef WIDE\n__device__ int f() { return 1; }\n#else\n__device__ int f() { return 2; }\n#endif\n"
     "#if WIDE\nvoid other() {\n#else\nvoid other(int x) {\n#endif\n}\n__global__ void k(int* x) {\n#ifdef WIDE\n"
     "*x = 3;\n#endif\n*x = f(); }\n",
     {"return 2", "#ifdef WIDE\n*x = 3;\n#endif\n"},
     {"return 1", "other"}},
    {"ABranchThatADeclarationBeginsIn",
     "#ifdef __cplusplus\nenum Kind : int {\n#else\nenum Kind {\n#endif\n#if 1\n  kFirst,\n#else\n  kOther,\n#endif\n"
     "};\n#if defined(WIDE)\n__device__ int f(long x) {\n#elif 1\n__device__ int f(int x) {\n#endif\n  return 2;\n}\n"
     "__global__ void k(int* x) { *x = kFirst + f(1); }\n",
     {"enum Kind : int {\n\n\n\n#if 1\n  kFirst,\n#else\n  kOther,\n#endif\n};", "int f(int x) {\n\n  return 2;\n}"},
     {"enum Kind {", "long x"}},
    {"MacrosWithinWhatGoes",
     "void other() {\n#define INSIDE 1\n#pragma unroll\n#ifdef A\n int a;\n#endif\n}\n"
     "__global__ void k(int* x) { *x = INSIDE; }\n",
     {"#define INSIDE 1"},
     {"#pragma", "int a"}},
    {"ClassesAndTheirMembers",
     "struct Base0 {};\ntemplate <class T> struct Base : Base0 {};\n"
     "template <class T> struct alignas(16) Box : Base<T> { T get() const; };\n"
     "template <class T> T Box<T>::get() const { return T{}; }\n"
     "struct Gone { Missing m; };\nvoid Gone::f() {}\n#include <cuda_fp16.h>\n"
     "template <> struct Box<half> {};\n__global__ void k(int* x) { *x = Box<int>().get(); }\n",
     {"struct alignas(16) Box", "Box<T>::get()", "struct Base0", "Box<half>"},
     {"Gone"}},
    {"Enumerators",
     "enum Kind { kFirst = 1, kSecond };\nenum class Other : int { kThird };\n__global__ void k(int* x) { *x = "
     "kSecond; }\n",
     {"enum Kind"},
     {"enum class Other"}},
    {"Operators",
     "struct V { float x; };\nstruct W { Missing m; };\n__device__ V operator+(V a, V b) { return {a.x + b.x}; }\n"
     "__device__ W operator+(W a, W b) { return a; }\nstatic_assert(sizeof(W) == 4, \"W\");\n"
     "__global__ void k(V* x) { x[0] = x[0] + x[1]; }\n",
     {"operator+(V"},
     {"operator+(W", "static_assert", "struct W"}},
    {"OperatorsThatATemplateLeavesOpen",
     "struct V { float x; };\nstruct W { Missing m; };\n__device__ V operator+(V a, V b) { return {a.x + b.x}; }\n"
     "W operator+(W a, W b) { return a; }\ntemplate <class T, class U> __global__ void k(T* x) {\n"
     "  U u; V v; x[0] = x[1] + u; x[2] = v + u;\n}\n",
     {"operator+(V"},
     {"operator+(W", "struct W"}},
    {"NamesThatNothingDeclares",
     "#include <missing.h>\ntemplate <class T> int say(T t) {\n#define FIVE 5\n  if (t)\n#undef FIVE\n"
     "    LOG(FATAL);\n  return 1;\n}\n__global__ void k(int* x) { *x = say(1); }\n",
     {"template <class T> int say(T t) {"},
     {"\nLOG(FATAL);"}},
    {"VariablesOfEveryKind",
     "__constant__ float table[4] = {1, 2, 3, 4};\n__device__ int counter, *pointer = &counter;\nextern __shared__ "
     "float s[];\nconst int kList[] = {f(), g()};\n"
     "static std::map<int, std::function<void(Missing)>> registry = {{1, nullptr}};\n"
     "void (*callback)(Missing) = nullptr;\nusing T4 = float4;\nusing std::vector;\n"
     "__global__ void k(T4* x) { s[0] = table[0] + *pointer; }\n",
     {"table[4] = {1", "int counter, *pointer", "extern __shared__", "using T4"},
     {"kList", "registry", "callback", "vector"}},
    {"MembersOfTheSameName",
     "void x(Missing m) {}\n__global__ void k(dim3* d) { d->x = (*d).x; }\n",
     {"void k("},
     {"Missing"}},
    {"Specialisations",
     "template <class T> __global__ void k(T* x) {}\ntemplate <> __global__ void k<float>(float* x) {}\n"
     "template void launch<Missing>(Missing*);\n",
     {"k<float>"},
     {"launch"}},
    {"ConceptsOfItsParameters",
     "template <class T> concept Real = sizeof(T) > 1;\ntemplate <class T> concept Other = sizeof(T) > 2;\n"
     "template <Real T> __global__ void k(T* x) {}\n",
     {"concept Real"},
     {"concept Other"}},
    {"NoFunctionOfTheKernelsName",
     "__global__ void k(int* x) {}\nvoid k(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<int>()); }\n",
     {"void k(int* x)"},
     {"torch"}},
};

class PiecesTrait : public Pieces, public testing::WithParamInterface<Trait> {};
INSTANTIATE_TEST_SUITE_P(Traits, PiecesTrait, testing::ValuesIn(kTraits),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(PiecesTrait, StaysOrGoes) {
  const std::string kept = from(GetParam().text);
  for (const char* part : GetParam().stays) EXPECT_THAT(kept, HasSubstr(part));
  for (const char* part : GetParam().goes) EXPECT_THAT(kept, Not(HasSubstr(part)));
  EXPECT_EQ(from(kept), kept) << "they need nothing else";
}

TEST_F(Pieces, OfALauncherThatHasItsKernelsName) {
  EXPECT_THAT(from("__global__ void k(int* x) {}\nvoid k(int* x, int n) { k<<<n, 1>>>(x); }\n", "k()"),
              AllOf(HasSubstr("void k(int* x) {}"), HasSubstr("int n")));
}

// Functors and sizes that no launch of the file has, and functions that leave launching to others.
TEST_F(Pieces, OfWhatAnAdapterNames) {
  write("twice.h", "struct Twice { int of(int x) { return 2 * x; } };\nenum Size { kSmall = 4 };\nint unused();\n");
  const std::string text =
      "#include \"twice.h\"\nnamespace a { template <class Op, int N> __global__ void k(int* x) { *x = Op().of(N); } "
      "}\n"
      "template <class Op> void launch(int* x) { a::k<Op, 4><<<1, 1>>>(x); }\nvoid run(int* x) { launch<Twice>(x); }\n";
  const std::set<std::string> named = {"run", "k", "Twice", "kSmall"};
  const auto pieces = read(text, "", named).pieces;
  const std::string of_kernel = pieces->reached({"k"}, named).text;
  for (const char* part : {"struct Twice", "enum Size", "void k("}) EXPECT_THAT(of_kernel, HasSubstr(part));
  EXPECT_THAT(of_kernel, Not(HasSubstr("unused")));
  EXPECT_THAT(pieces->reached({"k"}).text, Not(HasSubstr("enum Size")));
  EXPECT_THAT(pieces->reached({"run()"}).text,
              AllOf(HasSubstr("void run("), HasSubstr("void launch("), HasSubstr("k(")));
  EXPECT_EQ(pieces->reached({"another"}).text, "");
}

TEST_F(Pieces, HaveTheirFilesAndLines) {
  std::filesystem::create_directory(scratch_.path + "/deep");
  write("common.h", "\xEF\xBB\xBF\n#include \"deep/more.h\"\n__device__ int common() { return more(); }\n");
  write("deep/more.h", "\n__device__ int more() { return 1; }\n");
  const std::string text = from("#include \"common.h\"\n\n\n__global__ void k(int* x) { *x = common(); }\n");
  for (const char* line : {"#line 2 \"{}/deep/more.h\"\n__device__ int more(",
                           "#line 3 \"{}/common.h\"\n__device__ int", "#line 4 \"{}/k.cu\"\n__global__"})
    EXPECT_THAT(text, HasSubstr(fmt::format(fmt::runtime(line), scratch_.path)));
}

// A header of kernels that its own headers include again.
TEST_F(Pieces, OfAFileThatIncludesItselfOnce) {
  write("again.h", "#pragma once\n#include \"k.cu\"\n__device__ inline int twice(int x) { return 2 * x; }\n");
  const std::string text =
      from("#pragma once\n#include \"again.h\"\ntemplate <class T>\n__global__ void k(T* x) { *x = twice(1); }\n");
  EXPECT_THAT(text, HasSubstr("int twice"));
  EXPECT_EQ(text.find("void k("), text.rfind("void k("));
}

TEST_F(Pieces, OfHeadersInAFolderOfAUsualNameNearTheFile) {
  for (const char* folder : {"/include", "/.git", "/kernels", "/kernels/softmax"})
    std::filesystem::create_directory(scratch_.path + folder);
  write("include/utils.cuh", "__device__ int utils() { return 1; }\n");
  const std::string text =
      "#include \"utils.cuh\"\n#include <nobody.h>\n#include <nobody.h>\n"
      "__global__ void k(int* x) { *x = utils(); }\n";
  const auto read_below = [&] {
    return read_by_clang({text, 1}, scratch_.path + "/kernels/softmax/k.cu", {}, "").value_or(CudaSource()).pieces;
  };
  const auto pieces = read_below();
  EXPECT_THAT(pieces->reached({"k"}).text, HasSubstr("int utils()"));
  EXPECT_THAT(pieces->missing, ElementsAre("nobody.h"));
  std::filesystem::create_directory(scratch_.path + "/kernels/.git");
  EXPECT_THAT(read_below()->missing, ElementsAre("utils.cuh", "nobody.h")) << "above a repository";
}

TEST_F(Pieces, ShowVectorsAndWhoLooksAtAddresses) {
  const auto traits = [&](const std::string& body, const std::string& parameter = "float* x") {
    return read(
               "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\nint host(float* x) { return (uintptr_t)x % 16; }\n"
               "__device__ void put(int4* to, int4 v) { *to = v; }\n__global__ void k(" +
               parameter + ") { " + body + " }\n")
        .pieces->reached({"k"})
        .traits;
  };
  EXPECT_THAT(traits("x[threadIdx.x] = (float)make_float4(1, 2, 3, 4).x;"), IsEmpty());
  EXPECT_THAT(traits("x[threadIdx.x] = 0;", "__half* x"), IsEmpty());
  EXPECT_THAT(traits("x[0] = rsqrtf(expf(x[0]));"), IsEmpty());
  EXPECT_THAT(traits("x[0] = __expf(x[0]);"), ElementsAre("approximations"));
  EXPECT_THAT(traits("__shared__ char s[64]; float* y = (float*)s; y[0] = 1;"), IsEmpty());
  EXPECT_THAT(traits("x[threadIdx.x] = {};", "float4* x"), ElementsAre("vectors"));
  for (const std::string body :
       {"reinterpret_cast<float4*>(x)[0] = {};", "put((int4*)x, {});", "half2 h = ((half2*)x)[0];",
        "asm(\"ld.global.v4.f32\");", "*reinterpret_cast<__nv_bfloat162*>(x) = {};", "(float4&)x[4] = {};",
        "double d = *(const double*)x;"}) {
    EXPECT_THAT(traits(body), ElementsAre("vectors")) << body;
    EXPECT_THAT(traits("if ((uintptr_t)x % 16 == 0) { " + body + " }"), ElementsAre("addresses", "vectors")) << body;
  }
}

TEST_F(Pieces, ShowVectorsOfATypeThatATemplateTakes) {
  const auto traits = [&](const std::string& body) {
    return read("template <class V> __global__ void k(V* x) { V v = x[0]; " + body + " }\n")
        .pieces->reached({"k"})
        .traits;
  };
  EXPECT_THAT(traits("x[1].x = v.x;"), ElementsAre("vectors"));
  EXPECT_THAT(traits("x[1] = v;"), IsEmpty());
}

TEST_F(Pieces, ShowWhoWorksByWholeWarps) {
  const auto traits = [&](const std::string& value) {
    return read(
               "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
               "#define SUM(v) v + __shfl_xor_sync(~0u, v, 1)\nconstexpr int kWarp = 32;\n"
               "__device__ float sum(float v) { return SUM(v); }\n__global__ void k(float* y) { *y = " +
               value + "; }\n")
        .pieces->reached({"k"})
        .traits;
  };
  for (const char* value :
       {"sum(*y)", "SUM(*y)", "blockDim.x / 32", "(int)blockDim.x / kWarp", "blockDim.x >> 5",
        "__reduce_add_sync(~0u, 1)", "cg::tiled_partition<16>(cg::this_thread_block()).thread_rank()"})
    EXPECT_THAT(traits(value), ElementsAre("warps")) << value;
  for (const char* value : {"2 * *y", "blockDim.x / 16", "threadIdx.x / 32"})
    EXPECT_THAT(traits(value), IsEmpty()) << value;
}

TEST_F(Pieces, HaveThePlaceOfInlinePtx) {
  write("wait.h", "\n#define WAIT() asm volatile(\"cp.async.wait_all;\")\n");
  const auto place = [&](const std::string& body) {
    return read(
               "#include \"wait.h\"\ntemplate <class T> __device__ void f(T* x) {\n  asm(\"nop;\" : : \"h\"(*x));\n}\n"
               "int asm_count;  // asm(\"x\")\n__global__ void k(int* x) {\n" +
               body + "\n}\n")
        .pieces->reached({"k"})
        .assembly;
  };
  EXPECT_EQ(place("f(x);"), scratch_.path + "/k.cu:3");
  EXPECT_EQ(place("WAIT();"), scratch_.path + "/wait.h:2");
  EXPECT_EQ(place("asm_count = 1; const char* s = \"asm(\";"), "");
}

}  // namespace
}  // namespace assay
