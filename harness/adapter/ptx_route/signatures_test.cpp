// Kernels as nvcc has them: its preprocessed text laid out as the user's file, and its PTX's types and instances in it.
// Both texts are in the shape that nvcc 13 gives.
#include "harness/adapter/ptx_route/signatures.h"

#include <gmock/gmock.h>

#include "harness/adapter/instances.h"
#include "harness/adapter/ptx_route/markers.h"
#include "harness/adapter/ptx_route/preprocessed.h"

namespace assay::signatures {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A header of the toolkit, a macro of two lines that makes a kernel, a macro of the system's in a line, and a template.
constexpr const char* kPreprocessed = R"(# 0 "/tmp/k.nvcc.cu"
# 1 "/usr/local/cuda/include/cuda_runtime.h" 1
void hidden();
# 1 "/home/me/k.cu" 2
typedef float real;

namespace lib { typedef const real* rows; }
__attribute__((global)) void relu(const real* x, real* y, size_t n) { y[0] = x[0] > 0 ? 1 : 0; }
# 7 "/home/me/k.cu"
__attribute__((global)) void __attribute__((launch_bounds((256), 2))) sum(lib::rows x, real* y) { y[0] =
# 7 "/home/me/k.cu" 3 4
__builtin_inff()
# 7 "/home/me/k.cu"
; }
template <typename T, int B> static __inline__ __attribute__((always_inline)) __attribute__((global)) void scale(T* x, lib::rows w, unsigned char) {}
void host() { relu<<<(n + 255) / 256, 256>>>(x, y, n); }
)";

constexpr const char* kPtx = R"(.version 9.0
.target sm_90a
.address_size 64
.shared .align 4 .b8 both[64];
.extern .shared .align 16 .b8 dynamic[];
.visible .entry _Z4reluPKfPfm(.param .u64 a, .param .u64 b, .param .u64 c) { ret; }
.visible .entry _Z3sumPKfPf(.param .u64 a, .param .u64 b)
.maxntid 256, 1, 1
.minnctapersm 2
{
  .shared .align 4 .b8 own[1024];
  .reg .b32 %r<4>;
  mov.u32 %r1, own;
  ld.shared.u32 %r2, [both+4];
  ld.shared.u32 %r3, [dynamic];
  ret;
}
.entry _Z5scaleIfLi32EEvPT_PKfh(.param .u64 a, .param .u64 b, .param .u8 c) .maxntid 32, 4, 1 { ret; }
.entry _Z5scaleI6__halfLi64EEvPT_PKfh(.param .u64 a, .param .u64 b, .param .u8 c) { ret; }
)";

ptx::Module module() { return ptx::read(kPtx, "k.ptx").value(); }

CudaSource compiled() {
  CudaSource source = read_cuda(own_text(kPreprocessed, "/home/me/k.cu", 1)).value();
  take_signatures(module(), source);
  return source;
}

std::string type_of(const Parameter& parameter) {
  return (parameter.is_const ? "const " : "") + parameter.type + (parameter.is_pointer ? "*" : "");
}

std::vector<std::string> types_of(const KernelSource& kernel) {
  std::vector<std::string> types;
  for (const Parameter& parameter : kernel.parameters) types.push_back(type_of(parameter) + " " + parameter.name);
  return types;
}

TEST(Preprocessed, LinesOfTheFileKeepTheirNumbers) {
  const std::string text = own_text(kPreprocessed, "/home/me/k.cu", 1);
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  const CudaSource source = read_cuda(text).value();
  ASSERT_EQ(source.kernels.size(), 3u);
  EXPECT_EQ(source.kernels[0].line, 4);
  EXPECT_EQ(source.kernels[1].line, 7);
  EXPECT_THAT(source.kernels[1].body, HasSubstr("__builtin_inff() ; "));
  EXPECT_EQ(source.launches.at(0).line, 9);
  EXPECT_EQ(read_cuda(own_text(kPreprocessed, "/home/me/k.cu", 3)).value().kernels.at(0).line, 2)
      << "of a text that begins in line 3 of its file";
  EXPECT_EQ(own_text(kPreprocessed, "/home/me/other.cu", 1), "");
}

TEST(Preprocessed, AttributesAreQualifiers) {
  const std::string text = own_text(kPreprocessed, "/home/me/k.cu", 1);
  EXPECT_THAT(text, HasSubstr("__global__ void __launch_bounds__((256), 2) sum("));
  EXPECT_THAT(text, HasSubstr("static __inline__  __global__ void scale("));
  EXPECT_EQ(own_text("# 1 \"a\"\nint x __attribute__((aligned(16)))", "a", 1), "int x \n");
  EXPECT_EQ(own_text("# 1 \"a\"\n__attribute__", "a", 1), "\n") << "cut off";
  EXPECT_EQ(own_text("# 1 \"a\"\n__attribute__((global", "a", 1), "\n");
  EXPECT_EQ(own_text("# 99999999999999999999 \"a\"\nint x;", "a", 1), "") << "a #line of any number";
}

TEST(Signatures, TypesHaveNoAliases) {
  const CudaSource source = compiled();
  EXPECT_THAT(types_of(source.kernels[0]), ElementsAre("const float* x", "float* y", "size_t n"));
  EXPECT_THAT(types_of(source.kernels[1]), ElementsAre("const float* x", "float* y"))
      << "a pointer by a name of its own";
  EXPECT_THAT(types_of(source.kernels[2]), ElementsAre("T* x", "const float* w", "unsigned char "));
}

TEST(Signatures, FixedSizesHaveTheirUsualNames) {
  CudaSource source = read_cuda("__global__ void k(count_t a, half* b, word* c, std::uint64_t d) {}").value();
  const char* text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry _Z1klP6__halfPtm(.param .u64 a, .param "
      ".u64 b, .param .u64 c, .param .u64 d) { ret; }";
  take_signatures(ptx::read(text, "").value(), source);
  EXPECT_THAT(types_of(source.kernels[0]), ElementsAre("int64_t a", "half* b", "uint16_t* c", "std::uint64_t d"));
}

TEST(Signatures, TexturesAreNoNumbers) {
  CudaSource source = read_cuda("__global__ void k(cudaTextureObject_t image, float* y) {}").value();
  const char* text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry _Z1kyPf(.param .u64 a, .param .u64 b) { ret; }";
  take_signatures(ptx::read(text, "").value(), source);
  EXPECT_THAT(types_of(source.kernels[0]), ElementsAre("cudaTextureObject_t image", "float* y"));
}

TEST(Signatures, InstancesHaveTheirArgumentsAndLimits) {
  const CudaSource source = compiled();
  EXPECT_EQ(source.kernels[0].instances.size(), 1u);
  EXPECT_EQ(declared_threads(source.kernels[0]), 0);
  EXPECT_EQ(static_shared_bytes(source.kernels[0]), 0);
  EXPECT_EQ(declared_threads(source.kernels[1]), 256);
  EXPECT_EQ(static_shared_bytes(source.kernels[1]), 1024 + 64) << "its own and what it shares, without dynamic";
  EXPECT_THAT(compiled_arguments(source.kernels[2], 0), ElementsAre("float", "__half"));
  EXPECT_THAT(compiled_arguments(source.kernels[2], 1), ElementsAre("32", "64"));
  EXPECT_EQ(declared_threads(source.kernels[2]), 128);
}

TEST(Signatures, LimitsHoldForTheBlocksThatAnAdapterLeavesOpen) {
  const CudaSource source = compiled();
  const auto sizes = [&](const std::string& entry, std::vector<std::string> block = {"block"}) {
    AdapterLaunch launch{entry, {}};
    launch.block = std::move(block);
    return sizes_within_bounds(source, {.launches = {launch}});
  };
  const std::string &free = source.kernels[0].name, &bounded = source.kernels[1].name,
                    &instances = source.kernels[2].name;
  EXPECT_THAT(sizes(free), IsEmpty());
  EXPECT_THAT(sizes(bounded), AllOf(Contains(256), Contains(33), Not(Contains(257)), Not(Contains(512))));
  EXPECT_THAT(sizes(instances + "<T, 32>"), AllOf(Contains(128), Not(Contains(256))));
  EXPECT_THAT(sizes(bounded, {"64"}), IsEmpty()) << "nothing is open";
}

TEST(Signatures, FunctionsAsArgumentsAreSpelledAsTheFileDoes) {
  CudaSource source = read_cuda("template <auto f> __global__ void map(float* y) {}").value();
  const char* text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".entry _Z3mapIXadL_Z6squareIfET_S1_EEEvPf(.param .u64 a) { ret; }\n"
      ".entry _Z3mapIXadL_ZN52_INTERNAL_60acc7a4_18_signatures_nvcc_cu_5e4c9bf4_224cubeEfEEEvPf(.param .u64 a) { ret; "
      "}";
  take_signatures(ptx::read(text, "").value(), source);
  EXPECT_THAT(compiled_arguments(source.kernels[0], 0), ElementsAre("&square<float>", "&cube"));
}

TEST(Signatures, OverloadsThatNothingTellsApartStay) {
  CudaSource source = read_cuda("__global__ void sum(a* x, b y) {} __global__ void sum(c* x, d y) {}").value();
  take_signatures(module(), source);
  EXPECT_THAT(types_of(source.kernels[0]), ElementsAre("a* x", "b y"));
  EXPECT_TRUE(source.kernels[0].instances.empty());
}

TEST(Signatures, EntriesThatAreThereTakeNoMarkers) {
  const auto has = [](const std::string& entry, DType dtype, const std::string& spelled) {
    return has_all(module(), {{entry, dtype, spelled}});
  };
  EXPECT_TRUE(has("relu", DType::f32, "relu"));
  EXPECT_TRUE(has("scale<T, 32>", DType::f32, "scale<float,32>"));
  EXPECT_FALSE(has("scale<T, 32>", DType::f16, "scale<__half, 32>"));
  EXPECT_FALSE(has("scale", DType::f32, "scale")) << "a template's name alone is that of its defaults";
}

}  // namespace
}  // namespace assay::signatures
