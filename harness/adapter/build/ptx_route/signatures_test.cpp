// The instances of nvcc's PTX, in the shape that nvcc 13 gives, in what Clang has read.
#include "harness/adapter/build/ptx_route/signatures.h"

#include <gmock/gmock.h>

#include "harness/adapter/build/ptx_route/markers.h"
#include "harness/adapter/read/instances.h"
#include "harness/adapter/read/test_infer_from_text.h"

namespace assay::signatures {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSource = R"(typedef float real;
namespace lib { typedef const real* rows; }
__global__ void relu(const real* x, real* y, size_t n) { y[0] = x[0] > 0 ? 1 : 0; }
__global__ void __launch_bounds__((256), 2) sum(lib::rows x, real* y) { y[0] = x[0]; }
template <typename T, int B> static __forceinline__ __global__ void scale(T* x, lib::rows w, unsigned char) {}
void host(const real* x, real* y, size_t n) { relu<<<(n + 255) / 256, 256>>>(x, y, n); }
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
  CudaSource source = read(kSource);
  take_instances(module(), source);
  return source;
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
  CudaSource source = read("template <auto f> __global__ void map(float* y) {}");
  const char* text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".entry _Z3mapIXadL_Z6squareIfET_S1_EEEvPf(.param .u64 a) { ret; }\n"
      ".entry _Z3mapIXadL_ZN52_INTERNAL_60acc7a4_18_signatures_nvcc_cu_5e4c9bf4_224cubeEfEEEvPf(.param .u64 a) { ret; "
      "}";
  take_instances(ptx::read(text, "").value(), source);
  EXPECT_THAT(compiled_arguments(source.kernels[0], 0), ElementsAre("&square<float>", "&cube"));
}

TEST(Signatures, OverloadsThatNothingTellsApartStay) {
  CudaSource source = read("__global__ void sum(a* x, b y) {} __global__ void sum(c* x, d y) {}");
  take_instances(module(), source);
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
