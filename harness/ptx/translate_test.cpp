// Tests the C++ text, and which PTX is refused. That it computes what PTX says is for instructions_test.cpp and for
// kernels that run (harness/cli/ptx_test.cpp).
#include "harness/ptx/translate.h"

#include <gmock/gmock.h>

#include "harness/base/rng.h"
#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string module_text(const std::string& body) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry _Z4workPfi(.param .u64 a, .param .u32 n) {\n" +
         std::string(".reg .pred %p<3>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .f64 %fd<3>; .reg .b64 %rd<4>;\n") +
         body + "\n}\n.file 1 \"/home/me/work.cu\"\n.file 2 \"/usr/include/header.h\"\n";
}

std::string translated(const std::string& body, const std::string& entry = "_Z4workPfi") {
  const auto module = read(module_text(body), "work.ptx");
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
  const auto module = read(module_text(".shared .b8 tile[64];\nst.shared.u32 [tile], %r1; ret;"), "work.ptx");
  const auto text = translate(*module, {"_Z4workPfi"}, {.path = "work.ptx", .suffix = ".by_ptx"});
  EXPECT_THAT(text.value(), AllOf(HasSubstr("asm(\"_Z4workPfi.by_ptx\")"), HasSubstr("asm(\"tile.by_ptx\")")));
}

TEST(Translate, WhatIsNotSupportedIsNamedWithTheUsersLine) {
  EXPECT_THAT(translated(".loc 1 12 3\nadd.rm.sat.f64 %fd1, %fd1, %fd2;"),
              AllOf(HasSubstr("/home/me/work.cu:12 (work.ptx:7)"), HasSubstr("'add.rm.sat.f64'")));
  EXPECT_THAT(translated("wgmma.fence.sync.aligned;"), HasSubstr("'wgmma.fence.sync.aligned'"));
  EXPECT_THAT(translated("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};"),
              HasSubstr("'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32'"))
      << "registers are missing";
  EXPECT_THAT(translated(".loc 1 12 3\nwmma.load.a.sync.aligned.row.m8n8k32.s4 {%r1}, [%rd1];"),
              AllOf(HasSubstr("/home/me/work.cu:12"), HasSubstr("'wmma.load.a.sync.aligned.row.m8n8k32.s4'")));
  EXPECT_THAT(
      translated(".loc 1 12 3\nwmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r1, %r2}, {%r1}, "
                 "{%r2}, {%r1, %r2};"),
      AllOf(HasSubstr("/home/me/work.cu:12"), HasSubstr("'wmma.mma.xor.popc.sync.aligned.row.col")));
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
              HasSubstr("n_Pf1 = add<float, 0>(n_Pf2, __builtin_bit_cast(float, 0x3f800000u));"));
  EXPECT_THAT(translated("add.f32 %f1, %f2, 1.0;"), HasSubstr("0x3f800000u")) << "a constant of f64 becomes one of f32";
  EXPECT_THAT(translated("st.shared.f32 [%r1+-4], %f1;"),
              HasSubstr("store<float>(from_shared(static_cast<uint64_t>((n_Pr1 + -4))), n_Pf1)"));
  EXPECT_THAT(translated("mov.u32 %r1, WARP_SZ;"), HasSubstr("n_Pr1 = 0x20u;"));
  EXPECT_THAT(translated("ld.global.b32 {%r1}, [%rd1];\nst.global.b32 [%rd1], {%r1};"),
              AllOf(HasSubstr("n_Pr1 = load<uint32_t>(n_Prd1);"), HasSubstr("store<uint32_t>(n_Prd1, n_Pr1)")))
      << "a vector of one is its register";
  EXPECT_THAT(translated("@!%p1 bra L;\nL: ret;"), HasSubstr("if (!n_Pp1) { goto nL; }"));
}

TEST(Translate, FmaIsAnInstructionWhereTheProcessorHasIt) {
  const auto module = read(module_text("fma.rn.f32 %f1, %f1, %f2, %f3; ret;"), "work.ptx");
  const auto text = [&](bool fuses) {
    return translate(*module, {"_Z4workPfi"}, {.path = "work.ptx", .fuses = fuses}).value();
  };
  EXPECT_THAT(text(true), testing::ContainsRegex("target\\(\"fma\"\\)(.|\n)*fma<float, 0>(.|\n)*pop_options"));
  EXPECT_THAT(text(false), Not(HasSubstr("#pragma")));
}

// One operator each, with the sign that the type says; what C++ has no operator for stays a function.
TEST(Translate, WordsAreComputedByOperators) {
  EXPECT_THAT(translated("add.s32 %r1, %r2, %r3;"), HasSubstr("n_Pr1 = n_Pr2 + n_Pr3;"));
  EXPECT_THAT(translated("mad.lo.s32 %r1, %r2, %r3, -1;"), HasSubstr("n_Pr1 = n_Pr2 * n_Pr3 + 0xffffffffu;"));
  EXPECT_THAT(translated("shr.s32 %r1, %r2, 31;"),
              HasSubstr("n_Pr1 = static_cast<uint32_t>(static_cast<int32_t>(n_Pr2) >> 31);"));
  EXPECT_THAT(translated("shr.u32 %r1, %r2, 31;"), HasSubstr("n_Pr1 = static_cast<uint32_t>(n_Pr2 >> 31);"));
  EXPECT_THAT(translated("shl.b32 %r1, %r2, 32;"), HasSubstr("shl<uint32_t, 0>(n_Pr2, 0x20u)"))
      << "0, and no shift in C++";
  EXPECT_THAT(translated("shl.b32 %r1, %r2, %r3;"), HasSubstr("shl<uint32_t, 0>(n_Pr2, n_Pr3)"));
  EXPECT_THAT(translated("cvt.s64.s32 %rd1, %r2;"),
              HasSubstr("n_Prd1 = static_cast<uint64_t>(static_cast<int32_t>(n_Pr2));"));
  EXPECT_THAT(translated("cvt.u64.u32 %rd1, %r2;"), HasSubstr("n_Prd1 = static_cast<uint64_t>(n_Pr2);"));
  EXPECT_THAT(translated("setp.lt.s32 %p1, %r1, %r2;"),
              HasSubstr("n_Pp1 = static_cast<int32_t>(n_Pr1) < static_cast<int32_t>(n_Pr2);"));
  EXPECT_THAT(translated("setp.lt.u32 %p1, %r1, %r2;"), HasSubstr("n_Pp1 = n_Pr1 < n_Pr2;"));
  EXPECT_THAT(translated("setp.lt.f32 %p1, %f1, %f2;"), HasSubstr("compare<Comparison::lt, float, 0>"));
  EXPECT_THAT(translated("xor.pred %p1, %p2, !%p1;"), HasSubstr("n_Pp1 = n_Pp2 ^ !n_Pp1;"));
  EXPECT_THAT(translated("mov.b32 %f1, %r1;"), HasSubstr("n_Pf1 = __builtin_bit_cast(float, n_Pr1);"));
  EXPECT_THAT(translated("selp.b64 %rd1, %rd2, 1, %p1;"),
              HasSubstr("n_Prd1 = select_b64(n_Pp1, n_Prd2, uint64_t{0x1u});"));
  EXPECT_THAT(translated("add.sat.s32 %r1, %r2, %r3;"), HasSubstr("add<int32_t, kSat>"));
  EXPECT_THAT(translated("add.cc.u32 %r1, %r2, %r3;"), HasSubstr("add_cc<"));
}

// No compiler writes such PTX: words of one text are in each other's places, or gone.
TEST(Translate, DamagedInstructionsAreAnsweredWithAPlace) {
  const std::string text = module_text(R"(
.shared .align 16 .b8 tile[1024];
.loc 1 7 3
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; cvta.to.global.u64 %rd2, %rd1;
mad.lo.s32 %r3, %r1, %r2, 7; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd2, %rd3; setp.ge.s32 %p1, %r3, %r1;
@%p1 bra DONE;
ld.global.nc.v2.f32 {%f1, %f2}, [%rd3+8]; fma.rn.ftz.f32 %f1, %f1, %f2, 0f3F800000; ex2.approx.f32 %f2, %f1;
cvt.rn.f16x2.f32 %r1, %f1, %f2; shfl.sync.bfly.b32 %r2|%p2, %r1, 16, 31, -1; bar.sync 0;
@!%p2 st.shared.v2.u32 [%r2+4], {%r1, %r2}; atom.global.add.f32 %f3, [%rd3], %f2; vote.sync.ballot.b32 %r1, %p1, -1;
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f1}, {%r1,%r2,%r3,%r1}, {%r1,%r2}, {%f1,%f2,%f3,%f1};
wmma.load.a.sync.aligned.row.m8n8k4.shared.f64 {%fd1}, [%rd1], 4; mov.b64 {%r1, %r2}, %rd1; selp.f32 %f1, %f2, %f3, %p1;
cp.async.cg.shared.global [%r1], [%rd1], 16; cp.async.wait_group 0; mbarrier.init.shared.b64 [tile], %r1;
red.global.add.u32 [%rd1], 1; prmt.b32 %r1, %r2, %r3, 0x3210;
DONE: ret;)");
  std::vector<std::pair<size_t, size_t>> words;  // where they begin, and how long they are
  const std::string kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%.";
  const size_t body = text.find(".loc");
  for (size_t at = text.find_first_of(kWord, body); at != std::string::npos; at = text.find_first_of(kWord, at)) {
    const size_t end = std::min(text.find_first_not_of(kWord, at), text.size());
    words.emplace_back(at, end - at);
    at = end;
  }
  const auto sound = read(text, "t.ptx");
  ASSERT_TRUE(sound) << sound.error().line();
  const auto whole = translate(*sound, {"_Z4workPfi"}, {"t.ptx"});
  ASSERT_TRUE(whole) << whole.error().line();
  Rng random(11);
  const auto any_word = [&] { return words[random.below(words.size())]; };
  int translated_too = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    const auto [at, length] = any_word();
    const auto [from, count] = any_word();
    const size_t dot = text.find('.', at + 1);
    switch (random.below(4)) {
      case 0:
        damaged.replace(at, length, text, from, count);
        break;
      case 1:  // a modifier less
        if (dot < at + length) damaged.erase(dot, std::min(text.find_first_of(". ", dot + 1), at + length) - dot);
        break;
      case 2:  // another modifier
        if (dot < at + length)
          damaged.insert(dot, text.substr(from, count)[0] == '.' ? "" : "." + text.substr(from, count));
        break;
      default:
        damaged.erase(at, random.below(30));
    }
    const auto module = read(damaged, "t.ptx");
    if (!module) {
      ASSERT_THAT(module.error().what, testing::MatchesRegex("t\\.ptx:[0-9]+:[0-9]+: .+")) << damaged;
      continue;
    }
    const auto cpp = translate(*module, {"_Z4workPfi"}, {"t.ptx"});
    ++(cpp ? translated_too : refused);
    if (!cpp) {
      ASSERT_THAT(cpp.error().what, testing::ContainsRegex("t\\.ptx:[0-9]+|there is no kernel")) << damaged;
    }
  }
  EXPECT_GT(translated_too, 200);
  EXPECT_GT(refused, 200);
}

// The rows of the table are what keeps a modifier from being dropped unseen.
TEST(Translate, FormsTakeOnlyTheModifiersTheyKnow) {
  const auto form = [](const std::string& opcode, std::vector<std::string> modifiers) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.modifiers = std::move(modifiers);
    const auto found = form_of(instruction);
    return found ? found->function + " " + flags_of(instruction) : "none";
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
