// Kernels as other people write them: what is read of each style, and what of text that is none.
#include "harness/adapter/read/kernel_source.h"

#include <gmock/gmock.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::FieldsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A parameter as it may be written: "const float* x", "int n".
std::string text_of(const Parameter& p) {
  return (p.is_const ? "const " : "") + p.type + (p.is_pointer ? "*" : "") + (p.name.empty() ? "" : " " + p.name);
}

std::vector<std::string> parameters(const KernelSource& kernel) {
  std::vector<std::string> all;
  for (const Parameter& p : kernel.parameters) all.push_back(text_of(p));
  return all;
}

std::vector<std::string> names(const CudaSource& source) {
  std::vector<std::string> all;
  for (const KernelSource& kernel : source.kernels) all.push_back(kernel.qualified_name);
  return all;
}

std::vector<std::string> only_parameters(const std::string& list) {
  const CudaSource source = read("__global__ void k(" + list + ") {}");
  return source.kernels.empty() ? std::vector<std::string>{"no kernel"} : parameters(source.kernels.at(0));
}

TEST(KernelSource, ReadsPlainC) {  // the style of llm.c
  const CudaSource source = read(R"(/* forward */
// naive kernel: __global__ void not_this(int n) {
#define CEIL_DIV(M, N) (((M) + (N) - 1) / (N))
__global__ void softmax_forward_kernel1(float* out, const float* inp, int N, int C) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float* inp_row = inp + i * C;  // a row
    }
}

void softmax_forward1(float* out, const float* inp, int N, int C, const int block_size) {
    const int grid_size = CEIL_DIV(N, block_size);
    softmax_forward_kernel1<<<grid_size, block_size>>>(out, inp, N, C);
    cudaCheck(cudaGetLastError());
}
)");
  ASSERT_THAT(source.kernels, SizeIs(1));
  const KernelSource& kernel = source.kernels.at(0);
  EXPECT_EQ(kernel.name, "softmax_forward_kernel1");
  EXPECT_EQ(kernel.line, 4);
  EXPECT_THAT(parameters(kernel), ElementsAre("float* out", "const float* inp", "int N", "int C"));
  EXPECT_THAT(kernel.template_parameters, IsEmpty());
  ASSERT_THAT(kernel.facts.accesses, SizeIs(1));
  EXPECT_EQ(text_of(kernel.facts.accesses[0].index), "C*(blockDim.x*blockIdx.x+threadIdx.x)");
  ASSERT_THAT(source.launches, SizeIs(1));
  EXPECT_EQ(source.launches.at(0).kernel, "softmax_forward_kernel1");
  EXPECT_EQ(source.launches.at(0).line, 13);
  EXPECT_THAT(source.launches.at(0).configuration,
              ElementsAre("((((N) + (block_size) - 1) / (block_size)))", "block_size"));
  EXPECT_THAT(source.launches.at(0).arguments, ElementsAre("out", "inp", "N", "C"));
}

TEST(KernelSource, ReadsATorchExtension) {
  const CudaSource source = read(R"(#include <torch/extension.h>
#include <algorithm>
namespace {
template <typename scalar_t>
__global__ void rms_norm_kernel(
    scalar_t* __restrict__ out,           // [num_tokens, hidden_size]
    const scalar_t* __restrict__ input,   // [num_tokens, hidden_size]
    const scalar_t* __restrict__ weight, const float epsilon, const int64_t hidden_size) {
  __shared__ float s_variance;
}
}  // namespace
void rms_norm(torch::Tensor& out, torch::Tensor& input, double epsilon, int num_tokens, int hidden_size,
              cudaStream_t stream) {
  TORCH_CHECK(out.is_contiguous(), "out must be {contiguous <<<");
  dim3 grid(num_tokens);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "rms_norm_kernel", [&] {
    rms_norm_kernel<scalar_t><<<grid, dim3(std::min(hidden_size, 1024)), 0, stream>>>(
        out.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), epsilon, hidden_size);
  });
}
)");
  ASSERT_THAT(names(source), ElementsAre("rms_norm_kernel"));
  EXPECT_THAT(parameters(source.kernels.at(0)),
              ElementsAre("scalar_t* out", "const scalar_t* input", "const scalar_t* weight", "float epsilon",
                          "long hidden_size"));
  EXPECT_THAT(source.kernels.at(0).template_parameters, ElementsAre(FieldsAre("scalar_t", _, _)));
  ASSERT_THAT(source.launches, SizeIs(1));
  EXPECT_EQ(source.launches.at(0).kernel, "rms_norm_kernel<float>") << "as the stubs of PyTorch dispatch it";
  EXPECT_THAT(source.launches.at(0).configuration, ElementsAre("num_tokens", "std::min(hidden_size, 1024)", "0"));
  EXPECT_THAT(source.launches.at(0).arguments, ElementsAre("out.data_ptr<scalar_t>()", "input.data_ptr<scalar_t>()",
                                                           "input.data_ptr<scalar_t>()", "epsilon", "hidden_size"));
}

TEST(KernelSource, ReadsTemplateHeads) {
  const CudaSource source = read(R"(#include <array>
template <class T> struct Add {};
template <typename T, int BLOCK = 256, class U = std::array<float, (4 > 3)>, const bool kCausal = false,
          typename = std::enable_if_t<(BLOCK > 32)>, template <class> class Op = Add>
__global__ __launch_bounds__(BLOCK, 2) void flash(const T* q, T* o) { }
template <> __global__ void flash<float>(const float* q, float* o) {}
template __global__ void flash<half>(const half*, half*);
struct plain { int x; };
__global__ void after(int n) {}
)");
  ASSERT_THAT(names(source),
              ElementsAre("flash", "flash<float, 256, std::array<float, 1>, false, void, Add>", "after"));
  EXPECT_THAT(source.kernels.at(0).template_parameters,
              ElementsAre(FieldsAre("T", "typename", ""), FieldsAre("BLOCK", "int", "256"),
                          FieldsAre("U", "typename", "std::array<float, 1>"), FieldsAre("kCausal", "bool", "false"),
                          FieldsAre("", "typename", HasSubstr("enable_if")), FieldsAre("Op", "template", "")));
  EXPECT_THAT(source.kernels.at(1).template_parameters, IsEmpty());
}

TEST(KernelSource, ReadsFunctionsAsTemplateParameters) {
  const CudaSource source = read(
      "void none(float&) {}\n"
      "template <float (*op)(float), typename T, void (&each)(float&) = none> __global__ void map(const T* x, T* y) "
      "{}");
  EXPECT_THAT(source.kernels.at(0).template_parameters,
              ElementsAre(FieldsAre("op", "function", ""), FieldsAre("T", "typename", ""),
                          FieldsAre("each", "function", "none")));
}

TEST(KernelSource, ReadsExternC) {  // kernels for Rust, Go or NVRTC
  const CudaSource source =
      read(R"(extern "C" __global__ void scale_f32(const size_t numel, const float* inp, float *out) {}
extern "C" {
__global__ void __launch_bounds__(1024) softmax_bf16(const __nv_bfloat16 *src, __nv_bfloat16 *dst, const int ncols) {}
}
extern "C" static __forceinline__ __global__ void third(unsigned int n) {}
)");
  EXPECT_THAT(names(source), ElementsAre("scale_f32", "softmax_bf16", "third"));
  EXPECT_THAT(parameters(source.kernels.at(0)), ElementsAre("unsigned long numel", "const float* inp", "float* out"));
  EXPECT_THAT(parameters(source.kernels.at(1)),
              ElementsAre("const __nv_bfloat16* src", "__nv_bfloat16* dst", "int ncols"));
}

TEST(KernelSource, ReadsTheStyleOfBlas) {
  const CudaSource source = read(R"(
__global__ void SGEMM(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
  C[0] = alpha * A[0] * B[0] + beta * C[0];
}
int main() { int M = 1, N = 2, K = 3; float *A = nullptr, *B = A, *C = A; SGEMM <<< dim3(CEIL(M, 32), CEIL(N, 32)), dim3(32 * 32) >>> (M, N, K, 1.0f, A, B, 0.0f, C); }
)");
  ASSERT_THAT(names(source), ElementsAre("SGEMM"));
  EXPECT_THAT(parameters(source.kernels.at(0)), ElementsAre("int M", "int N", "int K", "float alpha", "const float* A",
                                                            "const float* B", "float beta", "float* C"));
  ASSERT_THAT(source.launches, SizeIs(1));
  EXPECT_THAT(source.launches.at(0).configuration, ElementsAre("dim3(CEIL(M, 32), CEIL(N, 32))", "1024"));
}

TEST(KernelSource, ReadsNamespaces) {
  const CudaSource source = read(R"(
namespace vllm::inline v1 { namespace detail { __global__ void a(int n) {} }
namespace { __global__ void b(int n) {} }
namespace short_name = vllm::detail;
using namespace vllm;
__global__ void c(int n) {} }
__global__ void d(int n) {}
)");
  EXPECT_THAT(names(source), testing::Contains("d"));
  EXPECT_THAT(names(read("namespace x { namespace y { __global__ void a() {} } namespace { __global__ void b() {} }\n"
                         "inline namespace z { __global__ void c() {} } }\n__global__ void d() {}\n"
                         "namespace p::q { __global__ void e() {} }")),
              ElementsAre("x::y::a", "x::b", "x::c", "d", "p::q::e"));
}

TEST(KernelSource, ReadsEveryKindOfParameter) {
  EXPECT_THAT(only_parameters(""), IsEmpty());
  EXPECT_THAT(only_parameters("void"), IsEmpty());
  EXPECT_THAT(only_parameters("T* const x, const T *const __restrict__ y, float const* z"),
              ElementsAre("T* x", "const T* y", "const float* z"));
  EXPECT_THAT(only_parameters("const float4* a, const float x[], float y[16], float **rows, const void* raw"),
              ElementsAre("const float4* a", "const float* x", "float* y", "float** rows", "const void* raw"));
  EXPECT_THAT(only_parameters("unsigned int n, long long m, size_t k, const unsigned c, std::size_t s"),
              ElementsAre("unsigned int n", "long long m", "unsigned long k", "unsigned int c", "unsigned long s"));
  EXPECT_THAT(only_parameters("int, const float*, std::array<int, 4> a, Params<float, 2> p"),
              ElementsAre("int", "const float*", "std::array<int, 4> a", "Params p"))
      << "of a type that nothing declares its name";
  EXPECT_THAT(only_parameters("int n = (1 > 0), float scale = 1.f, __grid_constant__ const Params p"),
              ElementsAre("int n", "float scale", "Params p"));
  EXPECT_THAT(only_parameters("typename Traits::Element* x, struct Shape shape"),
              ElementsAre("Traits* x", "Shape shape"));
}

TEST(KernelSource, PassesOverPrototypesAndMacros) {
  const CudaSource source = read(R"(
__global__ void k(const float* x, int n);
#define DEFINE_KERNEL(type)                            \
  __global__ void k_##type(const type* x, int n) {     \
  }
DEFINE_KERNEL(float)
#define NAME(x) my_##x
__global__ void NAME(scan)(const float* x) { x[0]; }
__global__ void k(const float* x, int n) { if (n) {} }
)");
  EXPECT_THAT(names(source), ElementsAre("k_float", "my_scan", "k"));
  EXPECT_EQ(source.kernels.at(2).line, 9);
}

TEST(KernelSource, ReadsAnnotationsMadeByMacros) {
  const CudaSource source = read(R"(
C10_LAUNCH_BOUNDS_1(512)
__global__ void a(int n) {}
__global__ void C10_LAUNCH_BOUNDS_2(256, 4) b(int n) {}
static __global__ void __cluster_dims__(2, 1, 1) __maxnreg__(64) c(int n) {}
[[maybe_unused]] inline __global__ void d(int n) __attribute__((used)) {}
)");
  EXPECT_THAT(names(source), ElementsAre("a", "b", "c", "d"));
}

TEST(KernelSource, IsNotMisledByText) {
  const CudaSource source = read(R"outer(
const char* code = R"(__global__ void in_a_raw_string(int n) { )";
const char* other = "\"__global__ void in_a_string(int n) { // /* ";
#error don't do this
#if 0
__global__ void never(int n) { {
#else
__global__ void compiled(int n) { char c = '{', d = '\''; int big = 1'000'000; }
#endif
// continued \
__global__ void in_a_comment(int n) {}
__global__ void last(int n) {}
)outer");
  EXPECT_THAT(names(source), ElementsAre("compiled", "last"));
  EXPECT_EQ(source.kernels.at(1).line, 12);
}

TEST(KernelSource, DefinesTheMacroThatAKernelNeeds) {
  EXPECT_THAT(names(read("#ifdef A\n__global__ void a(int n) {}\n#else\n__global__ void b(int n) {}\n#endif\n")),
              ElementsAre("b"));
  const auto hidden = read_text("#ifdef A\n__global__ void a(int n) {}\n#endif\n");
  ASSERT_TRUE(hidden);
  EXPECT_THAT(names(*hidden), ElementsAre("a"));
  EXPECT_THAT(hidden->defined, ElementsAre("A"));
  const auto defined = [](const std::string& before) {
    return read(before + "__global__ void __launch_bounds__(64) a(int n) {}\n#endif\nint b;\n").defined;
  };
  EXPECT_THAT(
      defined("#ifndef B\n#define B\n#if defined(USE_CUDA)  // yes\n#endif\n#if USE_HALF\nint a;\n#endif\n#endif\n"
              "#if defined(USE_CUDA) // yes\n#ifdef WITH_HALF\n#endif\n"),
      ElementsAre("USE_CUDA"));
  EXPECT_THAT(defined("#if 0\n#elif USE_CUDA\n"), ElementsAre("USE_CUDA"));
  for (const char* other : {"#ifdef A\n#else\n#endif\n#if 0\n", "#if A && B\n", "#ifdef __HIPCC__\n",
                            "#ifndef __CUDACC__\n", "#define A 0\n#if A\n"})
    EXPECT_THAT(defined(other), IsEmpty()) << other;
  const std::string two = "#ifdef A\n__global__ void a() {}  // isn't\n__global__ void b() {}  // it's\n#endif\n";
  EXPECT_THAT(read_by_clang({two, 1}, "/k.cu", {}, "b").value().defined, ElementsAre("A"));
}

TEST(KernelSource, ReadsConstantsOfThePreprocessor) {
  const CudaSource source = read(
      "#define TILE 32\n#  define AREA (TILE * 2)  // of a tile\n#define EMPTY\n"
      "#define CALL(x) (x)\nint x;\n");
  EXPECT_THAT(source.constants, ElementsAre(testing::Pair("TILE", "32"), testing::Pair("AREA", "(TILE * 2)")));
}

TEST(KernelSource, SaysWhatClangSays) {
  const auto error = [](const std::string& text) {
    const auto source = read_by_clang({text, 1}, "/k.cu", {}, "");
    return source ? "no error" : source.error().line();
  };
  EXPECT_THAT(error("namespace a {\n"), HasSubstr("k.cu:1: expected '}'"));
  EXPECT_THAT(error("\n\n/* comment"), HasSubstr("k.cu:3: unterminated /* comment"));
  EXPECT_EQ(error(""), "no error");
}

std::vector<std::vector<std::string>> instances(const std::string& text) {
  const CudaSource source = read(text);
  std::vector<std::vector<std::string>> all;
  for (const KernelInstance& instance : source.kernels.at(0).instances) all.push_back(instance.arguments);
  return all;
}

TEST(KernelSource, ReadsExplicitInstantiations) {
  const std::string kernel = "namespace n { template <class T, int B = 8> __global__ void k(T* x, int n) {} }\n";
  EXPECT_THAT(instances(kernel + "template __global__ void n::k<float, 16>(float*, int);\n"
                                 "extern template __global__ void __launch_bounds__(64) n::k<__half>(__half*, int);\n"),
              ElementsAre(ElementsAre("float", "16"), ElementsAre("__half", "8")));
}

TEST(KernelSource, InstantiationsThatSayTooLittleAreNone) {
  const std::string kernel = "template <class T, int B> __global__ void k(T* x) {}\n";
  EXPECT_THAT(instances(kernel + "template __global__ void k<float>(float*);"), IsEmpty()) << "B is missing";
  EXPECT_THAT(instances(kernel + "template <> __global__ void k<float, 8>(float* x) {}"), IsEmpty())
      << "a specialisation is code of its own";
}

}  // namespace
}  // namespace assay
