// Tests the reader on PTX texts, right ones and wrong ones.
#include <gmock/gmock.h>

#include <string>

#include "harness/base/rng.h"
#include "harness/ptx/module.h"

namespace assay::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const std::string kText = R"(
.version 8.7
.target sm_90a, debug
.address_size 64

.extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b);
.const .align 4 .b8 table[8] = {0, 0, 128, 63, 0xff, 1U, -1, 07};
.global .u64 places[2] = {table, generic(table)+4};
.extern .shared .align 16 .b8 dynamic[];

.visible .entry add_up(
	.param .u64 .ptr .global .align 4 add_up_param_0,
	.param .align 8 .b8 add_up_param_1[12]
)
.maxntid 256, 1, 1
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<4>;
	.reg .f32 	%f<3>, %single;
	.shared .align 4 .f32 tile[4][33];
	.loc	1 7 3
	ld.param.u32 	%r1, [add_up_param_1+8];
	@!%p1 bra 	$L__BB0_2;
	.loc	2 40 1, function_name $L__info_string0, inlined_at 1 7 3
	{ // a scope
	.reg .b32 	%r<2>;
	.reg .pred p;
	bra LOOP;
	LOOP: mov.u32 	%r1, %tid.x;
	@p bra LOOP;
	}
	{
	LOOP: bra.uni LOOP;
	}
$L__BB0_2:
	/* two results */ shfl.sync.bfly.b32 %r2|%p2, %r1, 16, -1, 0xffffffff;
	st.shared.v2.f32 [tile+-8], {%f1, 0fBF800000};
	call.uni (%r3), vprintf, (%r1, %r2);
	ret;
}
.file 1 "kernels/add up.cu"
.file 2 "/usr/include/x.h", 1, 2
.section .debug_str { $L__info_string0: .b8 1, 2 }
)";

Module module_of(const std::string& text) {
  auto module = read(text, "t.ptx");
  EXPECT_TRUE(module) << (module ? "" : module.error().line());
  return module.value_or(Module{});
}

std::string error_of(const std::string& text) {
  const auto module = read(text, "t.ptx");
  return module ? "read" : module.error().line();
}

std::string in_body(const std::string& statement) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 %r<3>;\n" + statement + "\n}\n";
}

TEST(Read, ModuleLevel) {
  const Module module = module_of(kText);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.files.at(1), "kernels/add up.cu");
  ASSERT_THAT(module.variables, SizeIs(3));
  EXPECT_EQ(module.variables[0].space, Space::constant);
  EXPECT_EQ(module.variables[0].initial[4].bits, 0xffu);
  EXPECT_EQ(module.variables[0].initial[6].bits, ~uint64_t{0});
  EXPECT_EQ(module.variables[0].initial[7].bits, 7u);
  EXPECT_EQ(module.variables[1].align, 8u);
  EXPECT_EQ(module.variables[1].initial[1].symbol, "table");
  EXPECT_EQ(module.variables[1].initial[1].bits, 4u);
  EXPECT_EQ(module.variables[2].elements, 0u);
  EXPECT_TRUE(module.variables[2].is_extern);
}

TEST(Read, FunctionsAndBlocks) {
  const Module module = module_of(kText);
  ASSERT_THAT(module.functions, SizeIs(2));
  EXPECT_FALSE(module.functions[0].has_body);
  const Function& kernel = module.functions[1];
  EXPECT_TRUE(kernel.is_entry);
  EXPECT_THAT(kernel.threads_max, ElementsAre(256, 1, 1));
  EXPECT_TRUE(kernel.parameters[0].is_pointer);
  EXPECT_EQ(kernel.parameters[1].elements, 12u);
  EXPECT_EQ(kernel.variables[0].elements, 4u * 33);
  ASSERT_THAT(kernel.blocks, SizeIs(4));
  EXPECT_EQ(kernel.blocks[3].label, "$L__BB0_2");
  const Instruction& branch = kernel.blocks[0].instructions[1];
  EXPECT_EQ(branch.guard, "%p1");
  EXPECT_TRUE(branch.guard_negated);
  const Instruction& shuffle = kernel.blocks[3].instructions[0];
  EXPECT_EQ(spelled(shuffle), "shfl.sync.bfly.b32");
  EXPECT_EQ(shuffle.operands[0].kind, Operand::pair);
  EXPECT_EQ(shuffle.operands[3].bits, ~uint64_t{0});
  const Instruction& store = kernel.blocks[3].instructions[1];
  EXPECT_EQ(store.operands[0].parts[0].offset, -8);
  EXPECT_EQ(store.operands[1].parts[1].bits, 0xbf800000u);
}

TEST(Read, NamesOfInnerScopesAreTheirOwn) {
  const Function kernel = module_of(kText).functions[1];
  const std::string first = kernel.blocks[1].label, second = kernel.blocks[2].label;
  EXPECT_NE(first, second);
  EXPECT_EQ(kernel.blocks[0].instructions[2].operands[0].text, first) << "a label that comes later";
  EXPECT_EQ(kernel.blocks[1].instructions[1].operands[0].text, first);
  EXPECT_EQ(kernel.blocks[2].instructions[0].operands[0].text, second);
  EXPECT_NE(kernel.blocks[1].instructions[0].operands[0].text, "%r1") << "the inner register hides the outer";
  EXPECT_EQ(kernel.blocks[1].instructions[0].operands[1].text, "%tid.x");
  EXPECT_EQ(kernel.blocks[3].instructions[0].operands[1].text, "%r1");
}

TEST(Read, LocationsKnowWhereTheyWereInlined) {
  const Module module = module_of(kText);
  ASSERT_THAT(module.locations, SizeIs(2));
  EXPECT_EQ(module.locations[1].file, 2);
  EXPECT_EQ(module.locations[1].inlined_at, 0);
}

TEST(Read, ErrorsNameThePlace) {
  EXPECT_THAT(error_of("int main() {}"), StartsWith("t.ptx:1:1: '.version' is missing here"));
  EXPECT_THAT(error_of(".version 9.0 .address_size 32"), StartsWith("t.ptx:1:28: addresses of 32 bits"));
  EXPECT_THAT(error_of(in_body("mov.u32 %r1")), StartsWith("t.ptx:7:1: ';' is missing here"));
  EXPECT_THAT(error_of(in_body("bra NOWHERE;")), StartsWith("t.ptx:6:1: 'NOWHERE' is not declared"));
  EXPECT_THAT(error_of(in_body(".reg .b32 %r<4>;")), HasSubstr("is declared a second time"));
  EXPECT_THAT(error_of(in_body("L: L: ret;")), StartsWith("t.ptx:6:4: 'L' is declared a second time"));
  EXPECT_THAT(error_of(in_body(".reg .texref t;")), HasSubstr("'.texref'"));
  EXPECT_THAT(error_of(in_body("mov.u32 %r1, 0x1ffffffffffffffff;")), HasSubstr("no number of 64 bits"));
  EXPECT_THAT(error_of(in_body("ret; /* ")), StartsWith("t.ptx:6:6: a comment that does not end"));
  EXPECT_THAT(error_of(in_body("ret; `")), HasSubstr("0x60"));
}

TEST(Read, HugeCountsAndDeepNestingAreRefused) {
  EXPECT_THAT(error_of(in_body(".reg .b32 %x<4000000000>;")), HasSubstr("4000000000 registers"));
  EXPECT_THAT(error_of(in_body(".shared .b8 x[1048576][1048576][1048576][1048576];")), HasSubstr("more than 1 GB"));
  EXPECT_THAT(error_of(in_body(std::string(100'000, '{'))), HasSubstr("scopes"));
  EXPECT_THAT(error_of(in_body("mov.u32 " + std::string(100'000, '{'))), HasSubstr("nest too deep"));
  EXPECT_THAT(error_of(".version 9.0 .global .u8 x[4] = " + std::string(100'000, '{')), HasSubstr("braces"));
  EXPECT_THAT(error_of(".version 9.0 .global .u8 x[2] = {1, 2, 3};"), HasSubstr("more values than"));
}

// Every cut and a few thousand small changes: an answer each time, and a place in every error.
TEST(Read, DamagedTextsAreAnsweredWithAPlace) {
  for (size_t cut = 0; cut < kText.size(); ++cut) {
    const auto module = read(std::string_view(kText).substr(0, cut), "t.ptx");
    if (module) continue;
    ASSERT_THAT(module.error().what, StartsWith("t.ptx:")) << cut;
  }
  Rng random(7);
  static constexpr std::string_view kBytes = "{}[]()<>;,.:%@!-+|0123456789abfrx_$\"/*\n \x01\xff";
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = kText;
    for (uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = kBytes[random.below(kBytes.size())];
          break;
        case 1:
          text.erase(at, 1 + random.below(20));
          break;
        case 2:
          text.insert(at, 1, kBytes[random.below(kBytes.size())]);
          break;
        default:
          text.insert(at, text.substr(random.below(text.size()), random.below(60)));
      }
    }
    const auto module = read(text, "t.ptx");
    if (module) continue;
    ++refused;
    ASSERT_THAT(module.error().what, testing::MatchesRegex("t\\.ptx:[0-9]+:[0-9]+: .+")) << text;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace assay::ptx
