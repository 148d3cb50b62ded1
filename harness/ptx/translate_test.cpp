// What is in the C++ text, and what is refused. That it computes what PTX says is for instructions_test.cpp and for
// kernels that run (harness/cli/ptx_test.cpp).
#include "harness/ptx/translate.h"

#include <gmock/gmock.h>

#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string module_of(const std::string& body) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry _Z4workPfi(.param .u64 a, .param .u32 n) {\n" +
         std::string(".reg .pred %p<3>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .f64 %fd<3>; .reg .b64 %rd<4>;\n") +
         body + "\n}\n.file 1 \"/home/me/work.cu\"\n.file 2 \"/usr/include/header.h\"\n";
}

std::string translated(const std::string& body, const std::string& entry = "_Z4workPfi") {
  const auto module = read(module_of(body), "work.ptx");
  if (!module) return module.error().line();
  const auto text =
      translate(*module, {entry}, {"work.ptx", [](const std::string& file) { return !file.starts_with("/usr/"); }});
  return text ? *text : text.error().line();
}

TEST(Translate, LinesAreTheUsersEvenInInlinedCode) {
  const std::string text = translated(
      ".loc 1 7 3\nmov.u32 %r1, %tid.x;\n.loc 2 40 1, function_name $L__info, inlined_at 1 7 3\nadd.s32 %r2, %r1, 1;\n"
      ".loc 1 9 1\nret;");
  EXPECT_THAT(text, AllOf(HasSubstr("#line 7 \"/home/me/work.cu\""), HasSubstr("#line 9 \"/home/me/work.cu\""),
                          Not(HasSubstr("header.h")), Not(HasSubstr("work.ptx"))));
  EXPECT_THAT(translated("ret;"), HasSubstr("#line 6 \"work.ptx\"")) << "without .loc it is the PTX's line";
}

TEST(Translate, KernelsKeepTheirNames) {
  EXPECT_THAT(translated("ret;"), HasSubstr("asm(\"_Z4workPfi\")"));
  // A file of this project has its kernels from source too, and those in a named namespace have one name in both.
  const auto module = read(module_of(".shared .b8 tile[64];\nst.shared.u32 [tile], %r1; ret;"), "work.ptx");
  const auto text = translate(*module, {"_Z4workPfi"}, {.path = "work.ptx", .suffix = ".by_ptx"});
  EXPECT_THAT(text.value(), AllOf(HasSubstr("asm(\"_Z4workPfi.by_ptx\")"), HasSubstr("asm(\"tile.by_ptx\")")));
}

TEST(Translate, WhatIsNotSupportedIsNamedWithTheUsersLine) {
  EXPECT_THAT(translated(".loc 1 12 3\nadd.rm.sat.f64 %fd1, %fd1, %fd2;"),
              AllOf(HasSubstr("/home/me/work.cu:12 (work.ptx:7)"), HasSubstr("'add.rm.sat.f64'")));
  EXPECT_THAT(translated("wgmma.fence.sync.aligned;"), HasSubstr("'wgmma.fence.sync.aligned'"));
  EXPECT_THAT(translated("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};"),
              HasSubstr("'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32'"));
  EXPECT_THAT(translated("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r1}, {%r1}, {%r2}, {%r1};"),
              HasSubstr("does not have"))
      << "registers are missing";
  EXPECT_THAT(translated("wmma.load.a.sync.aligned.row.m16n16k16.f32 {%f1}, [%rd1];"), HasSubstr("does not have"));
  EXPECT_THAT(translated("mbarrier.arrive.remote.b64 %rd1, [%rd2];"), HasSubstr("does not have"));
  EXPECT_THAT(translated("cvt.rn.e4m3x2.e5m2x2 %r1, %r2;"), HasSubstr("does not have"));
  EXPECT_THAT(translated("mov.u32 %r1, %cluster_ctaid.x;"), HasSubstr("'%cluster_ctaid.x' is not supported"));
  EXPECT_THAT(translated("mov.u32 %r9, 1;"), HasSubstr("'%r9' is no register of this function"));
  EXPECT_THAT(translated("ld.global.v4.f32 {%f1, %f2}, [%rd1];"), HasSubstr("'ld.global.v4.f32'"));
  EXPECT_THAT(translated("shl.b32 %r1, %r2;"), HasSubstr("'shl.b32'")) << "an operand is missing";
  EXPECT_THAT(translated("ret;", "other"), HasSubstr("there is no kernel 'other'"));
}

TEST(Translate, ConstantsAndOperandsHaveTheInstructionsType) {
  EXPECT_THAT(translated("add.f32 %f1, %f2, 0f3F800000;"),
              HasSubstr("add<float, 0>(n_Pf2, as<float>(uint64_t{0x3f800000u}))"));
  EXPECT_THAT(translated("add.f32 %f1, %f2, 1.0;"), HasSubstr("0x3f800000u")) << "a constant of f64 becomes one of f32";
  EXPECT_THAT(translated("st.shared.f32 [%r1+-4], %f1;"),
              HasSubstr("store<float>(from_shared(as<uint64_t>((n_Pr1 + -4))), n_Pf1)"));
  EXPECT_THAT(translated("mov.u32 %r1, WARP_SZ;"), HasSubstr("as<uint32_t>(uint64_t{0x20u})"));
  EXPECT_THAT(translated("ld.global.b32 {%r1}, [%rd1];\nst.global.b32 [%rd1], {%r1};"),
              AllOf(HasSubstr("set(n_Pr1, load<uint32_t>(n_Prd1));"), HasSubstr("store<uint32_t>(n_Prd1, n_Pr1)")))
      << "a vector of one is its register";
  EXPECT_THAT(translated("@!%p1 bra L;\nL: ret;"), HasSubstr("if (!n_Pp1) { goto nL; }"));
}

// The rows of the table are what keeps a modifier from being dropped unseen.
TEST(Translate, FormsTakeOnlyTheModifiersTheyKnow) {
  const auto form = [](const std::string& opcode, std::vector<std::string> modifiers) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.modifiers = std::move(modifiers);
    const Form* found = form_of(instruction);
    return found ? std::string(found->function) + " " + flags_of(instruction) : "none";
  };
  EXPECT_EQ(form("mad", {"lo", "cc", "u32"}), "mad_cc 0");
  EXPECT_EQ(form("mad", {"hi", "s32"}), "mad kHi");
  EXPECT_EQ(form("mul", {"wide", "u32"}), "mul_wide 0");
  EXPECT_EQ(form("fma", {"rz", "ftz", "f32"}), "fma kRz | kFtz");
  EXPECT_EQ(form("fma", {"rz", "f16"}), "none");
  EXPECT_EQ(form("min", {"NaN", "xorsign", "abs", "f32"}), "none");
  EXPECT_EQ(form("ex2", {"approx", "ftz", "f32"}), "ex2_approx kFtz");
  EXPECT_EQ(form("ex2", {"f32"}), "none");
  EXPECT_EQ(form("add", {"f8"}), "none");
}

}  // namespace
}  // namespace assay::ptx
