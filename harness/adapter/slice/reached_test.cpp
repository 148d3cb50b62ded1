// Tests what a kernel reaches of a file, as people write files: what stays, and that the rest goes without moving a
// line.
#include "harness/adapter/slice/reached.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>

#include "harness/adapter/slice/inline_assembly.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string from(const std::string& text, const std::string& root = "k") { return only_reached(text, {root}); }

TEST(Reached, KeepsWhatAKernelNamesAndWhatThatNames) {
  const std::string text = R"(#include <cuda_runtime.h>
#define WIDTH 32
constexpr int kTile = WIDTH * 2, kOther = 3;
struct Pair { float a, b; };
typedef Pair PairOfFloats;
__device__ float twice(float x) { return 2 * x; }
template <int N = kTile>
__device__ inline PairOfFloats both(float x) { return {twice(x), x * N}; }
__device__ float unused(float x) { return missing_function(x); }
__global__ void k(float* y) { y[0] = both<>(1.f).a; }
__global__ void other(float* y) { asm("mov.u32 %0, %laneid;"); }
int main(int argc, char** argv) { torch::Tensor t; k<<<1, 1>>>(nullptr); }
)";
  const std::string kept = from(text);
  EXPECT_THAT(kept, AllOf(HasSubstr("kTile = WIDTH"), HasSubstr("struct Pair"), HasSubstr("typedef Pair"),
                          HasSubstr("float twice"), HasSubstr("both(float x)"), HasSubstr("__global__ void k(")));
  EXPECT_THAT(
      kept, AllOf(Not(HasSubstr("unused")), Not(HasSubstr("other")), Not(HasSubstr("main")), Not(HasSubstr("torch"))));
  EXPECT_EQ(kept.size(), text.size());
  EXPECT_EQ(kept.find("__global__ void k("), text.find("__global__ void k("));
}

// Each: a text with one kernel k, what must stay of it, and what must go.
struct Trait {
  const char* name;
  const char* text;
  std::vector<const char*> stays, goes;
};

const Trait kTraits[] = {
    {"Namespaces",
     "namespace a { namespace { __device__ int f() { return 1; }\n int g(at::Tensor t) { return 2; } } }\n"
     "namespace a::b { __global__ void k(int* x) { *x = f(); } }\n",
     {"namespace a { namespace {", "int f()", "} }", "void k("},
     {"at::Tensor"}},
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
    {"AnnotationsOfAMissingHeader",
     "C10_LAUNCH_BOUNDS_1(512)\n__global__ void k(int* x) {}\n",
     {"void k("},
     {"C10_LAUNCH_BOUNDS_1"}},
    {"AnnotationsOfOurs",
     "#define BOUNDS(n) __launch_bounds__(n)\nBOUNDS(64)\n__global__ void k(int* x) {}\nstatic __global__ void\n"
     "__launch_bounds__(32) other(int* x) {}\n",
     {"BOUNDS(64)\n__global__ void k"},
     {"other"}},
    {"KernelsThatAMacroWrites",
     "#define DEFINE(name, op) __global__ void k##name(int* x) { *x = op(1); }\n__device__ int twice(int x) { return 2 "
     "* x; }\n"
     "__device__ int none(int x) { return x; }\nDEFINE(, twice)\nDEFINE(2, none)\n",
     {"DEFINE(, twice)", "int twice"},
     {"DEFINE(2, none)", "int none"}},
    {"NamesThatAMacroJoins",
     "__device__ int f_32() { return 1; }\n__device__ int f_64() { return 1; }\n#define CALL(n) f_##n()\n#define "
     "TWICE(n) CALL(n) + CALL(n)\n"
     "__global__ void k(int* x) { *x = TWICE(32); }\n",
     {"int f_32()"},
     {"int f_64()"}},
    {"BothBranches",
     "#ifdef WIDE\n__device__ int f() { return 1; }\n#else\n__device__ int f() { return 2; }\n#endif\n"
     "#if WIDE\nvoid other() {\n#else\nvoid other(int x) {\n#endif\n}\n__global__ void k(int* x) { *x = f(); }\n",
     {"return 1", "#else", "return 2", "#endif", "void k("},
     {}},
    {"BranchesThatOpenTwice",
     "void other(int x) {\n#ifdef WIDE\n  if (x && (x > 1)\n#else\n  if (x\n#endif\n) {}\n}\n__global__ void k(int* x) "
     "{}\n",
     {"void k("},
     {"other"}},
    {"DirectivesOfWhatGoes",
     "void other() {\n#define INSIDE 1\n#pragma unroll\n#ifdef A\n int a;\n#endif\n}\n__global__ void k(int* x) { *x = "
     "INSIDE; }\n",
     {"#define INSIDE 1", "#ifdef A\n", "#endif"},
     {"#pragma", "int a"}},
    {"ClassesAndTheirMembers",
     "template <class T> struct alignas(16) Box : Base<T> { T get() const; };\ntemplate <class T> T Box<T>::get() "
     "const { return T{}; }\n"
     "struct Base0 {};\ntemplate <class T> struct Base : Base0 {};\nstruct Gone { Missing m; };\nvoid Gone::f() {}\n"
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
    {"VariablesOfEveryKind",
     "__constant__ float table[4] = {1, 2, 3, 4};\n__device__ int counter, *pointer = &counter;\nextern __shared__ "
     "float s[];\n"
     "const int kList[] = {f(), g()};\nstatic std::map<int, std::function<void(Missing)>> registry = {{1, nullptr}};\n"
     "void (*callback)(Missing) = nullptr;\nusing T4 = float4;\nusing namespace cute;\nusing std::vector;\n"
     "__global__ void k(T4* x) { s[0] = table[0] + *pointer; }\n",
     {"table[4] = {1", "int counter, *pointer", "extern __shared__", "using T4", "using namespace cute;"},
     {"kList", "registry", "callback", "vector"}},
    {"MembersOfTheSameName",
     "void x(Missing m) {}\n__global__ void k(dim3* d) { d->x = (*d).x; }\n",
     {"void k("},
     {"Missing"}},
    {"SpecialisationsAndInstantiations",
     "template <class T> __global__ void k(T* x) {}\ntemplate <> __global__ void k<float>(float* x) {}\n"
     "template __global__ void k<half>(half*);\ntemplate void launch<Missing>(Missing*);\n",
     {"k<float>", "k<half>"},
     {"launch"}},
};

class ReachedTrait : public testing::TestWithParam<Trait> {};
INSTANTIATE_TEST_SUITE_P(Traits, ReachedTrait, testing::ValuesIn(kTraits),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(ReachedTrait, StaysOrGoes) {
  const std::string text = GetParam().text, kept = from(text);
  for (const char* part : GetParam().stays) EXPECT_THAT(kept, HasSubstr(part));
  for (const char* part : GetParam().goes) EXPECT_THAT(kept, Not(HasSubstr(part)));
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
}

TEST(Reached, TakesMacrosWhoseParametersAreMissing) {
  const std::string text = "#define F(a,,b) a\n#define G(,) 1\n__global__ void k() { F(1, 2, 3); }\n";
  EXPECT_THAT(only_reached(text, {"k"}), testing::HasSubstr("__global__ void k()"));
}

TEST(Reached, PrefersAKernelToAFunctionOfItsName) {
  const std::string kept = from("__global__ void k(int* x) {}\nvoid k(torch::Tensor x) { k<<<1, 1>>>(x); }\n");
  EXPECT_THAT(kept, AllOf(HasSubstr("void k(int* x)"), Not(HasSubstr("torch"))));
  EXPECT_THAT(from("__global__ void g(int* x) {}\nvoid k(int* x) { g<<<1, 1>>>(x); }\n"),
              HasSubstr("__global__ void g"));
}

TEST(Reached, KeepsTheLauncherThatHasItsKernelsName) {
  const std::string text = "__global__ void k(int* x) {}\nvoid k(int* x, int n) { k<<<n, 1>>>(x); }\n";
  EXPECT_THAT(only_reached(text, {"k"}, {"k"}), AllOf(HasSubstr("void k(int* x) {}"), HasSubstr("int n")));
}

TEST(Reached, LeavesWhatItDoesNotUnderstandWhole) {
  for (const char* text : {"__global__ void k() {\n", "}\n__global__ void k() {}\n", "/* open\n", ""})
    EXPECT_EQ(from(text), text);
}

// Pieces that begin and end declarations, in any order.
TEST(Reached, NeverMovesALineWhateverTheText) {
  static const std::vector<std::string> kPieces = {
      "template",  "<",        ">",          "(",     ")",
      "{",         "}",        ";",          "\n",    "#define k(x) x##k k(k(x))\n",
      "#if 1\n",   "#endif\n", "struct",     "enum",  "k",
      "namespace", "operator", "=",          ",",     "::",
      "f",         "\"",       "'",          "R\"(",  "/*",
      "*/",        "//",       "\\\n",       "using", "extern",
      "[",         "]",        "__global__", " "};
  const bool held = rc::check([] {
    std::string text;
    for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces)))
      text += piece + " ";
    const std::string kept = from(text);
    RC_ASSERT(kept.size() == text.size());
    for (size_t i = 0; i < text.size(); ++i) RC_ASSERT(kept[i] == text[i] || (kept[i] == ' ' && text[i] != '\n'));
  });
  EXPECT_TRUE(held);
}

TEST(InlineAssembly, IsFoundWithItsFileAndLine) {
  EXPECT_EQ(inline_assembly("int a;\n__device__ void f() {\n  asm volatile(\"nop;\");\n}\n"), "line 3");
  EXPECT_EQ(inline_assembly(
                "#line 7 \"a.cu\"\nint a;\n#line 1 \"b.cuh\"\n\nvoid f() { __asm__ __volatile__(\"bar.sync 0;\"); }\n"),
            "b.cuh:2");
  EXPECT_EQ(inline_assembly("#line 7 \"a.cu\"\n#define WAIT() asm(\"cp.async.wait_all;\")\n"), "a.cu:7");
  EXPECT_EQ(inline_assembly("int asm_count; // asm(\"x\")\nconst char* s = \"asm(\";\n"), std::nullopt);
}

}  // namespace
}  // namespace assay
