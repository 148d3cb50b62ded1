// Launches and kernels as ordinary C++: texts in, texts out.
#include "harness/cxx/rewrite.h"

#include <gmock/gmock.h>

namespace assay::cxx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string host(std::string_view text) {
  const auto done = rewritten(text, Side::host);
  return done ? done->text : done.error().line();
}
std::string device(std::string_view text) {
  const auto done = rewritten(text, Side::device);
  return done ? done->text : done.error().line();
}

TEST(Rewrite, ALaunchIsACallWithAConfiguration) {
  EXPECT_EQ(host("add<<<4, 256>>>(a, n);"), "(::assay::cxx::configure(4, 256), add(a, n));");
  EXPECT_EQ(host("add<< <4, 256>> >(a, n);"), "(::assay::cxx::configure( 4, 256), add (a, n));");
  EXPECT_EQ(host("else mine::scale<float, N + 1><<<dim3(2), b, f(1, 2), s>>>(x);"),
            "else (::assay::cxx::configure(dim3(2), b, f(1, 2), s), mine::scale<float, N + 1>(x));");
  EXPECT_EQ(host("return table[i]<<<n < 5 ? 1 : 2, 3>>>();"),
            "return (::assay::cxx::configure(n < 5 ? 1 : 2, 3), table[i]());");
  EXPECT_EQ(host("if (x) this->kernel_<<<1, 2>>>(g(3), {4});"),
            "if (x) (::assay::cxx::configure(1, 2), this->kernel_(g(3), {4}));");
  EXPECT_EQ(host("(a ? b : c)<<<1, 2>>>(); pick(1).go<<<3, 4>>>();"),
            "(::assay::cxx::configure(1, 2), (a ? b : c)()); (::assay::cxx::configure(3, 4), pick(1).go());");
}

TEST(Rewrite, WhatOnlyLooksLikeALaunchStays) {
  for (const char* const text : {"puts(\"a<<<1, 2>>>(b)\");", "// k<<<1, 2>>>(b)\nint i;", "R\"(k<<<1, 1>>>())\";",
                                 "x = a << b; y = A<B<C<int>>>(3);", "char c = '<';"})
    EXPECT_EQ(host(text), text);
}

TEST(Rewrite, LinesStayWhereTheyAre) {
  const std::string text = host("add<<<4,\n# 7 \"a.cu\"\n 256>>>(a,\n n);\nnext();");
  EXPECT_EQ(text, "(::assay::cxx::configure(4,   256), add\n# 7 \"a.cu\"\n(a,\n n));\nnext();");
  EXPECT_THAT(host("__global__ void k(int n) {\n  f(n);\n# 9 \"b.h\"\n g();\n}\nh();"),
              HasSubstr("\n\n# 9 \"b.h\"\n\n}\nh();"));
}

TEST(Rewrite, AKernelOfTheHostPassesItsParametersOn) {
  EXPECT_EQ(host("__global__ void k(const float* __restrict a, int n = 3) { a[n]; }"),
            " void k(const float* __restrict a, int n = 3) { ::assay::cxx::launch(a, n); }");
  EXPECT_EQ(host("template <class... T> static __global__ void k(T... all) {}"),
            "template <class... T> static  void k(T... all) { ::assay::cxx::launch(all...); }");
  EXPECT_EQ(host("__global__ void k(void) {}"), " void k(void) { ::assay::cxx::launch(); }");
  EXPECT_EQ(host("__global__ void k(int*, unsigned int, const Foo&, a::B<int> = {}, float[4]) {}"),
            " void k(int* assay_parameter0, unsigned int assay_parameter1, const Foo& assay_parameter2, a::B<int> "
            "assay_parameter3 = {}, float assay_parameter4[4]) { ::assay::cxx::launch(assay_parameter0, "
            "assay_parameter1, assay_parameter2, assay_parameter3, assay_parameter4); }");
  EXPECT_EQ(host("__global__ void k(int (*f)(int, int), float x[4]) {}"),
            " void k(int (*f)(int, int), float x[4]) { ::assay::cxx::launch(f, x); }");
  EXPECT_EQ(host("__global__ void k(int n);"), " void k(int n);") << "a declaration";
}

TEST(Rewrite, AKernelOfTheDeviceSaysHowItIsStarted) {
  EXPECT_EQ(device("__global__ void k(int n) { f(n); }"),
            " void k(int n) { asm volatile(\"# assay kernel %c0 %c1 %c2\" : : "
            "\"i\"(::assay::cxx::Started<decltype(n)>::start), \"i\"(::assay::cxx::Started<decltype(n)>::kSizes), "
            "\"i\"(::assay::cxx::Started<decltype(n)>::kCount));  f(n); }");
}

TEST(Rewrite, BuiltInVariablesAreCallsInFunctionsOfTheDeviceAlone) {
  const std::string text =
      "dim3 gridDim(3); __device__ int f() { return threadIdx.x + p.blockDim + p->gridDim; } int g() { return "
      "gridDim.x; }";
  EXPECT_THAT(device(text), HasSubstr("return ::assay::cxx::built_in(threadIdx).x + p.blockDim + p->gridDim; }"));
  EXPECT_THAT(device(text), HasSubstr("dim3 gridDim(3);"));
  EXPECT_THAT(device(text), HasSubstr("return gridDim.x; }"));
  EXPECT_THAT(device("auto f = [=] __device__ (int i) { return blockIdx.x; };"),
              HasSubstr("::assay::cxx::built_in(blockIdx).x"));
  EXPECT_THAT(device("__device__ void f() { const dim3 blockDim(3); }"), HasSubstr("const dim3 blockDim(3);"));
  EXPECT_THAT(host(text), Not(HasSubstr("built_in")));
}

TEST(Rewrite, FunctionsOfTheDeviceLeaveNothingOnTheHost) {
  EXPECT_EQ(host("__device__ float f(float x) { return x; }"), " inline float f(float x) { return x; }");
  EXPECT_EQ(host("__host__ __device__ float f(float x) { return x; }"), "  float f(float x) { return x; }");
  EXPECT_EQ(host("__device__ inline int f() { return 1; }"), " inline int f() { return 1; }");
  EXPECT_EQ(host("struct A { __device__ A(int n) : a(n), b{n} {} };"),
            "struct A {  inline A(int n) : a(n), b{n} {} };");
  EXPECT_EQ(host("struct A { __device__ bool operator()(int a) const { return a; } };"),
            "struct A {  inline bool operator()(int a) const { return a; } };");
  EXPECT_EQ(host("extern __device__ int f();"), "extern  int f();");
}

TEST(Rewrite, VariablesOfTheDeviceAreNamed) {
  const auto done = rewritten(
      "namespace a { __constant__ float c[4] = {1, 2}, *d; } static __device__ int n; __device__ float (*f[2])(float);"
      " struct __align__ S { int m; }; extern __constant__ B<int, 3> b;",
      Side::host);
  ASSERT_TRUE(done);
  EXPECT_THAT(done->variables, ElementsAre("b", "c", "d", "f", "n"));
  EXPECT_TRUE(done->has_device_code);
  EXPECT_FALSE(done->has_kernels);
}

TEST(Rewrite, AVariableOfTheDeviceIsItsFilesOwn) {
  EXPECT_EQ(host("__device__ int n;"), " static int n;");
  EXPECT_EQ(device("__constant__ float c[2];"), " static float c[2];");
  EXPECT_EQ(rewritten("__device__ int n;", Side::host, true)->text, " int n;");
  EXPECT_EQ(host("extern __device__ int n; __device__ int n = 3; __device__ int A::m;"),
            "extern  int n;  int n = 3;  int A::m;");
}

TEST(Rewrite, AManagedVariableIsTheDevices) {
  EXPECT_EQ(host("__managed__ int n = 3;"),
            " static int assay_managed_n = 3; static auto& n = ::assay::cxx::managed(assay_managed_n);");
  EXPECT_EQ(device("__device__ __managed__ float x[4];"),
            " static  float assay_managed_x[4]; static auto& x = assay_managed_x;");
}

TEST(Rewrite, ALaunchInAKernelIsAChilds) {
  const std::string text = "__global__ void k() { c<<<1, 2>>>(3); }";
  EXPECT_THAT(device(text), HasSubstr("::assay::cxx::child(c, 1, 2)(3); }"));
  EXPECT_THAT(device("__host__ __device__ void f() { c<<<1, 2>>>(3); }"),
              HasSubstr("(::assay::cxx::configure(1, 2), c(3));"));
}

TEST(Rewrite, CallsOfTheRuntimeInKernelsAreOthers) {
  EXPECT_THAT(device("__global__ void k() { cudaMalloc(&p, 4); }"),
              HasSubstr(" ::assay::cxx::of_kernels::cudaMalloc("));
  EXPECT_EQ(device("void f() { cudaMalloc(&p, 4); }"), "void f() { cudaMalloc(&p, 4); }");
  EXPECT_THAT(host("__device__ void f() { cudaMalloc(&p, 4); }"), HasSubstr("{ cudaMalloc("));
}

TEST(Rewrite, AnAlignmentOfSharedMemoryGoesToTheFront) {
  EXPECT_EQ(device("{ static thread_local alignas(16) int x[4]; }"), "{ alignas(16) static thread_local  int x[4]; }");
  EXPECT_EQ(host("{ extern thread_local alignas(T) char x[]; }"), "{ alignas(T) extern thread_local  char x[]; }");
}

TEST(Rewrite, InlinePtxIsACallOfAFunctionThatDoesIt) {
  EXPECT_EQ(device("__device__ int f() { int x; asm volatile(\"mov.u32 %0, 1;\"\n : \"=r\"(x)); return x; }"),
            " int f() { int x; ::assay::cxx::inline_ptx_0(\n(x)); return x; }");
  EXPECT_EQ(device("int f() { asm(\"nop\"); }"), "int f() { asm(\"nop\"); }") << "the host's";
}

TEST(Rewrite, WhatIsNotCompiledIsNamedWithItsPlace) {
  EXPECT_THAT(host("# 1 \"a.cu\"\n\n\nint x;\nk<<<1, 2>>>;\n"),
              HasSubstr("a.cu:4: a launch without >>>(…) behind its <<<; build the program with nvcc"));
  EXPECT_THAT(host("# 5 \"dir/b.cu\"\n__managed__ int a, b;"),
              HasSubstr("dir/b.cu:5: several __managed__ variables in one declaration"));
  EXPECT_THAT(host("# 5 \"b.cu\"\n__global__ int a;"), HasSubstr("b.cu:5: __global__ in front of what is no function"));
}

}  // namespace
}  // namespace assay::cxx
