// Names of kernels: what is in PTX, what C++ calls it, and what an adapter calls it.
#include "harness/adapter/build/ptx_route/entries.h"

#include <gmock/gmock.h>

#include "harness/adapter/build/ptx_route/by_ptx.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kText = R"(.version 9.0
.target sm_90
.address_size 64
.entry _Z7softmaxIfLi128EEvPKT_PS0_i(.param .u64 a, .param .u64 b, .param .u32 c) { ret; }
.entry _Z7softmaxI6__halfLi128EEvPKT_PS1_i(.param .u64 a, .param .u64 b, .param .u32 c) { ret; }
.entry _ZN4mine5scaleEPff(.param .u64 a, .param .f32 b) { ret; }
.entry triton_kernel(.param .u64 .ptr .global .align 1 a, .param .u32 b) { ret; }
.entry _ZN8__main__4fillB2v1E10float32_2ai(.param .u64 out, .param .u32 count) { ret; }
.entry _Z13assay_kernelsIXadL_Z7softmaxIfLi128EEvPKT_PS1_iEELi0EEvv() { ret; }
.entry _Z13assay_kernelsIXadL_ZN4mine5scaleEPffEELi1EEvv() { ret; }
)";

ptx::Module module() { return ptx::read(kText, "t.ptx").value(); }

std::string named(const std::string& entry) {
  const auto name = entry_named(module(), entry, "t.ptx");
  return name ? *name : name.error().line();
}

TEST(Entries, PartsOfNames) {
  const std::string whole = demangled("_Z7softmaxIfLi128EEvPKT_PS0_i");
  EXPECT_EQ(without_parameters(whole), "softmax<float, 128>");
  EXPECT_THAT(parameter_types(whole), ElementsAre("float const*", "float*", "int"));
  EXPECT_EQ(demangled("triton_kernel"), "triton_kernel");
  EXPECT_EQ(with_type("softmax<T, TILE>", "__half"), "softmax<__half, TILE>");
}

TEST(Entries, AreFoundAsAnAdapterSpellsThem) {
  EXPECT_EQ(named("softmax<float,128>"), "_Z7softmaxIfLi128EEvPKT_PS0_i");
  EXPECT_EQ(named("mine::scale"), "_ZN4mine5scaleEPff");
  EXPECT_EQ(named("triton_kernel"), "triton_kernel");
  EXPECT_EQ(named("fill"), "_ZN8__main__4fillB2v1E10float32_2ai") << "as Numba names them";
  EXPECT_THAT(named("softmax"), HasSubstr("more than one kernel 'softmax'"));
  EXPECT_THAT(named("relu"), HasSubstr("no kernel 'relu'"));
}

TEST(Entries, AreFoundByTheirMarkers) {
  EXPECT_EQ(entry_marked(module(), 0, "softmax<float, 128>").value(), "_Z7softmaxIfLi128EEvPKT_PS0_i");
  EXPECT_EQ(entry_marked(module(), 1, "mine::scale").value(), "_ZN4mine5scaleEPff");
  EXPECT_FALSE(entry_marked(module(), 2, "relu").has_value());
}

TEST(Entries, KernelsHaveTheTypesOfTheirNames) {
  const CudaSource source = kernels_of(module());
  EXPECT_EQ(source.kernels[0].name, "softmax");
  EXPECT_EQ(source.kernels[0].parameters[0].type, "float");
  EXPECT_TRUE(source.kernels[0].parameters[0].is_const);
  EXPECT_TRUE(source.kernels[0].parameters[1].is_pointer);
  EXPECT_EQ(source.kernels[2].name, "scale");
  EXPECT_TRUE(source.kernels[3].parameters[0].is_pointer);
  EXPECT_EQ(source.kernels[3].parameters[1].type, "int");
  EXPECT_EQ(source.kernels[4].name, "fill");
  EXPECT_TRUE(source.kernels[4].parameters[0].is_pointer);
  EXPECT_EQ(source.kernels[4].parameters[0].type, "float");
  EXPECT_EQ(source.kernels[4].parameters[1].name, "count") << "a name that no compiler made";
}

}  // namespace
}  // namespace assay
