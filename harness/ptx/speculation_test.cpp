// Tests which loads go to their selp.
#include "harness/ptx/speculation.h"

#include <gmock/gmock.h>

namespace assay::ptx {
namespace {

using testing::ElementsAre;

// The instructions of a body after the change: "@p1 ld.shared.f32 %f1".
std::vector<std::string> changed(const std::string& body) {
  const auto module = read(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 "
      "%r<9>; "
      ".reg .f32 %f<9>; .reg .b64 %rd<4>;\n.shared .align 4 .b8 tile[64];\n" +
          body + "\nret;\n}\n",
      "k.ptx");
  if (!module) return {module.error().line()};
  std::vector<std::string> all;
  for (const Block& block : without_speculation(module->functions.front()).blocks)
    for (const Instruction& each : block.instructions) {
      std::string text = each.guard.empty() ? "" : (each.guard_negated ? "@!" : "@") + each.guard + " ";
      text += spelled(each);
      if (!each.operands.empty() && each.operands[0].kind == Operand::name) text += " " + each.operands[0].text;
      all.push_back(text);
    }
  all.pop_back();  // ret
  return all;
}

TEST(Speculation, ALoadThatASelpMayDropIsMadeUnderItsCondition) {
  EXPECT_THAT(changed("ld.shared.f32 %f1, [tile];\nsetp.eq.s32 %p1, %r2, 0;\nselp.f32 %f2, %f1, %f3, %p1;\n"
                      "st.shared.f32 [tile+4], %f2;"),
              ElementsAre("setp.eq.s32 %p1", "@%p1 ld.shared.f32 %f1", "selp.f32 %f2", "st.shared.f32"));
  EXPECT_THAT(changed("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\nadd.s32 %r5, %r6, 1;\n"
                      "selp.b32 %r3, %r1, %r2, %p2;"),
              ElementsAre("add.s32 %r5", "@!%p2 ld.global.u32 %r2", "@%p2 ld.global.u32 %r1", "selp.b32 %r3"));
}

TEST(Speculation, AllOthersStayWhereTheyAre) {
  const auto stays = [](const std::string& between, const std::string& behind = "") {
    const auto all = changed("ld.shared.u32 %r1, [%rd1];\n" + between + "selp.b32 %r3, %r1, %r2, %p1;\n" + behind);
    return all.front() == "ld.shared.u32 %r1";
  };
  EXPECT_FALSE(stays(""));
  EXPECT_TRUE(stays("", "st.shared.u32 [tile], %r1;")) << "the value is used elsewhere";
  EXPECT_TRUE(stays("st.shared.u32 [tile], %r4;\n"));
  EXPECT_TRUE(stays("bar.sync 0;\n"));
  EXPECT_TRUE(stays("@%p1 bra LATER;\nLATER:\n"));
  EXPECT_TRUE(stays("add.s64 %rd1, %rd1, 4;\n")) << "the address is another";
  EXPECT_TRUE(stays("add.s32 %r5, %r1, 4;\n"));
  EXPECT_EQ(changed("ld.volatile.shared.u32 %r1, [%rd1];\nselp.b32 %r3, %r1, %r2, %p1;").front(),
            "ld.volatile.shared.u32 %r1");
  EXPECT_EQ(changed("@%p2 ld.shared.u32 %r1, [%rd1];\nselp.b32 %r3, %r1, %r2, %p1;").front(), "@%p2 ld.shared.u32 %r1");
}

}  // namespace
}  // namespace assay::ptx
