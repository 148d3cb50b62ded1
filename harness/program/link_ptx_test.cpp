// Modules that declare what others define, and the groups of kernels in what they become.
#include "harness/program/link_ptx.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/program/kernel_group.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

ptx::Module module_of(const std::string& text) { return ptx::read(kHead + text, "a.ptx").value(); }

// A kernel that names `name`, as an address or a call.
std::string kernel(const std::string& entry, const std::string& name) {
  return ".visible .entry " + entry + "() {\n .reg .b64 %rd<2>;\n mov.u64 %rd1, " + name + ";\n ret;\n}\n";
}

TEST(LinkPtx, ADefinitionTakesThePlaceOfADeclaration) {
  const ptx::Module whole =
      linked({module_of(".extern .func f\n();\n.extern .global .align 4 .u32 count;\n" + kernel("a", "count")),
              module_of(".visible .func f\n()\n{\n ret;\n}\n.visible .global .align 4 .u32 count;\n")});
  ASSERT_EQ(whole.functions.size(), 2u);
  EXPECT_TRUE(whole.functions[0].has_body);
  ASSERT_EQ(whole.variables.size(), 1u);
  EXPECT_FALSE(whole.variables[0].is_extern);
}

TEST(LinkPtx, TextsOfFilesKeepApartAndInlineFunctionsBecomeOne) {
  const std::string first = ".global .align 1 .b8 $str[2] = {65, 0};\n.weak .func g\n()\n{\n ret;\n}\n";
  const std::string second = ".global .align 1 .b8 $str[2] = {66, 0};\n.weak .func g\n()\n{\n ret;\n}\n";
  const ptx::Module whole = linked({module_of(first + kernel("a", "$str")), module_of(second + kernel("b", "$str"))});
  ASSERT_EQ(whole.variables.size(), 2u);
  EXPECT_EQ(whole.variables[1].name, "$str@1");
  ASSERT_EQ(whole.functions.size(), 3u);
  const ptx::Function& b = whole.functions.back();
  EXPECT_EQ(b.blocks.front().instructions.front().operands.back().text, "$str@1");
}

TEST(LinkPtx, PlacesStayThoseOfTheirFiles) {
  const auto with_place = [](const std::string& entry, const std::string& file) {
    return module_of(".visible .entry " + entry + "() {\n .loc 1 7 0\n ret;\n}\n.file 1 \"" + file + "\"\n");
  };
  const ptx::Module whole = linked({with_place("a", "a.cu"), with_place("b", "b.cu")});
  for (const ptx::Function& function : whole.functions) {
    const int location = function.blocks.front().instructions.front().location;
    const ptx::Location& place = whole.locations.at(static_cast<size_t>(location));
    EXPECT_EQ(whole.files.at(place.file), function.name + ".cu");
  }
}

TEST(KernelGroup, KernelsThatShareAVariableAreOne) {
  const ptx::Module module = module_of(
      ".global .align 4 .u32 counter;\n.global .align 4 .u32 table[2] = {1, 2};\n.global .align 4 .u32 own;\n" +
      kernel("counts", "counter") + kernel("reads", "counter") + kernel("looks_up", "table") +
      kernel("looks_up_too", "table") + kernel("alone", "own"));
  EXPECT_THAT(group_of(module, "reads", {})->kernels, ElementsAre("counts", "reads"));
  EXPECT_THAT(group_of(module, "counter", {})->kernels, ElementsAre("counts", "reads"));
  EXPECT_THAT(group_of(module, "alone", {})->kernels, ElementsAre("alone"));
  EXPECT_THAT(group_of(module, "looks_up", {})->kernels, ElementsAre("looks_up")) << "nobody changes it";
  EXPECT_THAT(group_of(module, "looks_up", {"table"})->kernels, ElementsAre("looks_up", "looks_up_too"));
  EXPECT_THAT(group_of(module, "none", {}).error().line(), HasSubstr("has no 'none'"));
}

TEST(KernelGroup, SharingGoesOnFromKernelToKernel) {
  const auto two = [](const std::string& entry, const std::string& one, const std::string& other) {
    return ".visible .entry " + entry + "() {\n .reg .b64 %rd<3>;\n mov.u64 %rd1, " + one + ";\n mov.u64 %rd2, " +
           other + ";\n ret;\n}\n";
  };
  const ptx::Module module =
      module_of(".global .align 4 .u32 x;\n.global .align 4 .u32 y;\n.global .align 4 .u32 z;\n" + two("a", "y", "z") +
                two("b", "x", "y") + kernel("c", "x"));
  EXPECT_THAT(group_of(module, "c", {})->kernels, ElementsAre("a", "b", "c"));
}

TEST(KernelGroup, TheTextHasATableOfItsGroup) {
  const ptx::Module module = module_of(".global .align 4 .u32 counter;\n" + kernel("counts", "counter"));
  const std::string text = text_of(module, *group_of(module, "counts", {}), "a.ptx").value();
  EXPECT_THAT(text, HasSubstr("program_kernel<&assay::ptx::ncounts>(\"counts\", false)"));
  EXPECT_THAT(text, HasSubstr("{\"counter\", assay::ptx::ncounter, 4, true}"));
}

// Their launches are never left out as repetitions.
TEST(KernelGroup, TheTableKnowsKernelsWhoseWorkShowsElsewhere) {
  const ptx::Module module = module_of(
      ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
      ".visible .entry decides() {\n { .param .b64 a; .param .b32 b; st.param.b64 [a], 1; st.param.b32 [b], 1;\n"
      " call.uni cudaGraphSetConditional, (a, b); }\n ret;\n}\n"
      ".visible .entry times() {\n .reg .b32 %r<2>;\n mov.u32 %r1, %clock;\n ret;\n}\n");
  for (const char* const name : {"decides", "times"}) {
    const auto text = text_of(module, *group_of(module, name, {}), "a.ptx");
    ASSERT_TRUE(text) << text.error().line();
    EXPECT_THAT(*text, HasSubstr(fmt::format("program_kernel<&assay::ptx::n{0}>(\"{0}\", true)", name)));
  }
}

}  // namespace
}  // namespace assay
