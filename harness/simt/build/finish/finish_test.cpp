// Tests the results for small pieces of assembly.
#include "harness/simt/build/finish/finish.h"

#include <gmock/gmock.h>

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {
namespace {

using testing::HasSubstr;
using testing::Not;

// A function, with `code` as its instructions.
std::string function(const std::string& name, const std::string& code) {
  return "\t.text\n\t.globl\t" + name + "\n\t.hidden\t" + name + "\n\t.type\t" + name + ", @function\n" + name +
         ":\n\t.cfi_startproc\n" + code + "\tret\n\t.cfi_endproc\n";
}

const std::string kArray =
    "\t.section\t.tbss,\"awT\",@nobits\n\t.align 16\n\t.type\ttile, @object\n\t.size\ttile, 128\ntile:\n\t.zero\t128\n";

std::string finished(const std::string& text, const Options& options = {}) {
  const Finished result = finish(text, options);
  EXPECT_EQ(result.error, "");
  return result.text;
}

std::string refused(const std::string& text) { return finish(text, {}).error; }

TEST(Assembly, KnowsTheFunctionOfEachLine) {
  const std::string text = function("f", "\tnop # why\n") + "\t.long 4\n" + function("g", "") + "f.cold:\n\tnop\n";
  const Assembly assembly(text);
  std::vector<std::string_view> owners;
  for (const Line& line : assembly.lines)
    if (line.is_instruction()) owners.push_back(line.function);
  EXPECT_EQ(owners, (std::vector<std::string_view>{"f", "f", "g", "f"}));
  EXPECT_EQ(assembly.print(), text);
}

TEST(SharedMemory, IsAddressedLikeAnyOther) {
  const std::string text = finished(function("f",
                                             "\tmovq\ttile@gottpoff(%rip), %rax\n"
                                             "\tmovss\t%xmm0, %fs:(%rax,%rdx,4)\n"
                                             "\tmovl\t%fs:-8(%rax), %ecx\n"
                                             "\taddq\t%fs:0, %rax\n") +
                                    kArray);
  EXPECT_THAT(text, HasSubstr("\tmovq\ttile@GOTPCREL(%rip), %rax\n"
                              "\tmovss\t%xmm0, (%rax,%rdx,4)\n"
                              "\tmovl\t-8(%rax), %ecx\n"
                              "\taddq\t$0, %rax\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\tassay_shared,\"aw\",%nobits\n\t.balign\t16\n\t.type\ttile, %object\n"
                              "\t.size\ttile, 128\ntile:\n\t.zero\t128\n"));
  EXPECT_THAT(text, Not(HasSubstr(".tbss")));
}

TEST(SharedMemory, IsAddressedLikeAnyOtherOnAArch64) {
  const std::string text = finished(function("f",
                                             "\tadrp\tx0, :gottprel:tile\n"
                                             "\tldr\tx0, [x0, #:gottprel_lo12:tile]\n"
                                             "\tmrs\tx1, tpidr_el0\n") +
                                    kArray);
  EXPECT_THAT(text, HasSubstr("\tadrp\tx0, :got:tile\n"
                              "\tldr\tx0, [x0, #:got_lo12:tile]\n"
                              "\tmov\tx1, xzr\n"));
}

TEST(SharedMemory, ThatIsDynamicIsOneBufferWhateverItsNames) {
  const std::string text =
      finished(function("f", "\tmovq\ts@gottpoff(%rip), %rax\n\tmovq\t_ZN1n1tE@GOTTPOFF(%rip), %rcx\n"));
  EXPECT_THAT(text, HasSubstr("\tmovq\tassay_simt_dynamic_shared@GOTPCREL(%rip), %rax\n"
                              "\tmovq\tassay_simt_dynamic_shared@GOTPCREL(%rip), %rcx\n"));
  EXPECT_THAT(text, HasSubstr("assay_simt_dynamic_shared:\n\t.zero\t232448\n"));
}

TEST(SharedMemory, OfACheckedFileHasGapsAndIsListed) {
  const std::string text = finished(kArray, {.checked = true});
  EXPECT_THAT(text, HasSubstr("tile:\n\t.zero\t128\n\t.zero\t256\n"));
  EXPECT_THAT(text, HasSubstr(".section\tassay_shared_arrays"));
  EXPECT_THAT(text, HasSubstr("\t.quad\ttile, 128, .Lassay_name0\n"));
  EXPECT_THAT(finished(kArray), Not(HasSubstr("assay_shared_arrays")));
}

TEST(SharedMemory, HoldsNoMarksOfTheCompiler) {
  const std::string guard = "\t.section\t.tbss,\"awT\",@nobits\n_ZGVtile:\n\t.byte\t0\n";
  EXPECT_THAT(finished(guard, {.checked = true}), HasSubstr("\t.quad\t_ZGVtile, 1, 0\n"));
}

TEST(SharedMemory, TakesNothingElseAlong) {
  EXPECT_THAT(finished(kArray + "\t.weak\tabsent\n\t.set\tother, tile\n"),
              HasSubstr("\t.weak\tabsent\n\t.set\tother, tile\n"));
}

TEST(SharedMemory, IsNotWhatHasAValue) {
  const std::string text = finished(function("f", "\tmovq\tn@gottpoff(%rip), %rax\n\tmovl\t%fs:(%rax), %eax\n") +
                                    "\t.section\t.tdata,\"awT\",@progbits\nn:\n\t.long\t5\n");
  EXPECT_THAT(text, HasSubstr("\tmovq\tn@GOTPCREL(%rip), %rax\n\tmovl\t(%rax), %eax\n"));
  EXPECT_THAT(text, HasSubstr("\t.section\t.data\nn:\n\t.long\t5\n"));
}

TEST(ThreadLocals, OfTheLibraryAndTheStackProtectorStayWhatTheyAre) {
  const std::string text = finished(function("f",
                                             "\tmovq\t%fs:40, %rax\n"
                                             "\tmovq\t_ZSt11__once_call@gottpoff(%rip), %rdx\n"
                                             "\tmovq\t%rax, %fs:(%rdx)\n"));
  EXPECT_THAT(text, HasSubstr("\tmovq\t%fs:40, %rax\n"));
  EXPECT_THAT(text, HasSubstr("\tmovq\t_ZSt11__once_call@gottpoff(%rip), %rdx\n"
                              "\tpushq\t%rax\n\tmovq\t%fs:0, %rax\n\tleaq\t(%rdx,%rax), %rdx\n\tpopq\t%rax\n"
                              "\tmovq\t%rax, (%rdx)\n"));
}

TEST(ThreadLocals, InAFormThatIsNotUnderstoodAreRefused) {
  EXPECT_THAT(refused(function("f", "\tmovl\t%fs:tile@tpoff, %eax\n") + kArray), HasSubstr("tile@tpoff"));
  EXPECT_THAT(refused(function("f", "\tleaq\ttile@tlsgd(%rip), %rdi\n") + kArray), HasSubstr("tile@tlsgd"));
  EXPECT_THAT(refused(function("f", "\tmovl\t%fs:8(%rip), %eax\n")), HasSubstr("%fs:8(%rip)"));
  EXPECT_THAT(refused("\t.section\t.tbss,\"awT\",@nobits\nx:\n\t.uleb128 4\n"), HasSubstr(".uleb128 4"));
}

TEST(Symbols, OfDefinitionsBecomeLocalAndGroupsVanish) {
  const std::string text = finished(
      "\t.section\t.text._Z1kv,\"axG\",@progbits,_Z1kv,comdat\n\t.weak\t_Z1kv\n\t.hidden\t_Z1kv\n_Z1kv:\n\tret\n"
      "\t.weak\televised\n\t.globl\tmain\nmain:\n\tret\n");
  EXPECT_THAT(text, HasSubstr("\t.section\t.text._Z1kv,\"ax\",@progbits\n_Z1kv:\n"));
  EXPECT_THAT(text, HasSubstr(".weak\televised"));
  EXPECT_THAT(text, Not(HasSubstr(".globl\tmain")));
}

TEST(Symbols, ThatAreVisibleOnPurposeStaySo) {
  EXPECT_THAT(finished("\t.globl\tkernel_tests\nkernel_tests:\n\tret\n"), HasSubstr("\t.globl\tkernel_tests\n"));
}

TEST(LaunchBounds, AreCountedAndTakenOut) {
  const std::string text = finished(
      "\t.section\t__patchable_function_entries,\"awo\",@progbits,f\n\t.align 8\n\t.quad\t.LPFE1\n\t.text\n.LPFE1:\n"
      "\tnop\n\tnop\n\tnop\n" +
      function("f", "\tnop\n"));
  EXPECT_THAT(text, HasSubstr("\t.quad\tf, 0, 0, 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("LPFE")));
  EXPECT_THAT(text, Not(HasSubstr("\tnop\n\tnop\n")));
}

TEST(StaticSharedMemory, IsCountedOverAllThatAKernelCalls) {
  const std::string names = "\tmovq\ttile@gottpoff(%rip), %rax\n";
  EXPECT_THAT(finished(function("f", "\tcall\tg\n\tcall\th\n") + function("g", names) + function("h", names) + kArray),
              HasSubstr("\t.quad\tf, 0, 128, 0\n\t.quad\tg, 0, 128, 0\n"));
}

TEST(Copies, AreCallsOfHooksWhereTheCompilerMakesThem) {
  const std::string code = function("f", "\tcallq\tmemcpy@PLT\n\tcallq\tmy_memcpy\n");
  EXPECT_THAT(finished(code, {.checked = true, .hook_copies = true}),
              HasSubstr("\tcallq\t__tsan_memcpy@PLT\n\tcallq\tmy_memcpy\n"));
  EXPECT_THAT(finished(code, {.checked = true}), HasSubstr("\tcallq\tmemcpy@PLT\n"));
}

// On a kernel's threads these are the device's heap; host code of the same file calls them too.
// The hash that the finished text defines.
std::string code_of(const std::string& text) {
  const std::string all = finished(text), definition = "assay_code_hash:\n\t.quad\t";
  const size_t at = all.find(definition);
  EXPECT_NE(at, std::string::npos) << all;
  return all.substr(at + definition.size());
}

TEST(CodeHash, IsOfWhatTheMachineGets) {
  const auto file = [](const std::string& code) {
    return "\t.file\t\"k.cu\"\n\t.hidden\tassay_code_hash\n" + function("f", code) +
           "\t.section\t.debug_info,\"\",@progbits\n\t.long\t0x12\n";
  };
  const std::string code = code_of(file("\t.loc 1 2 3 view .LVU1\n.LVL1:\n\taddq\t$1, %rax\n"));
  EXPECT_EQ(code, code_of(file("\t.loc 1 7 9\n\taddq\t$1, %rax # a comment\n"))) << "debuggers' lines count";
  EXPECT_NE(code, code_of(file("\taddq\t$2, %rax\n")));
  EXPECT_NE(code, code_of(file("\tsubq\t$1, %rax\n")));
  EXPECT_NE(code, code_of(file("\taddq\t$1, %rax\n") + kArray)) << "data do not count";
  EXPECT_THAT(finished(file("")), Not(HasSubstr(".hidden\tassay_code_hash")));
}

TEST(Heap, CallsGoToTheExecutor) {
  const std::string code =
      function("f", "\tcall\tmalloc@PLT\n\tjmp\t*free@GOTPCREL(%rip)\n\tcall\t_Znam@PLT\n\tcall\tmy_free\n");
  EXPECT_THAT(finished(code, {}), HasSubstr("\tcall\tassay_simt_malloc@PLT\n\tjmp\t*assay_simt_free@GOTPCREL(%rip)\n"
                                            "\tcall\tassay_simt_new@PLT\n\tcall\tmy_free\n"));
}

// The proven need of `f`, whose code is given; 0 without proof.
uint64_t need(const std::string& code) {
  const std::string text = finished(function("f", code), {.prove_stacks = true});
  const size_t row = text.find("\t.quad\tf, ");
  return row == std::string::npos ? 0 : number_in(operands_of(text.substr(row + 7))[1]).value_or(0);
}

TEST(StackNeeds, AreTheLargestFrameAndTheLargestCallee) {
  EXPECT_EQ(need(""), 8u);
  EXPECT_EQ(need("\tsubq\t$56, %rsp\n\t.cfi_def_cfa_offset 64\n"), 64u);
  EXPECT_EQ(need("\t.cfi_def_cfa_offset 64\n\tcall\texpf@PLT\n\tcall\ttanhf@PLT\n"), 64u + 512u);
  EXPECT_EQ(need("\tcall\t*logf@GOTPCREL(%rip)\n"), 8u + 256u);
  EXPECT_EQ(need("#APP\n\tmov %rbp, -8(%rsp)\n\tmov (%r15), %rsp\n\tjmp *8(%r15)\n#NO_APP\n"), 16u);
}

TEST(StackNeeds, HaveNoProofWhereSomethingIsNotUnderstood) {
  EXPECT_EQ(need("\tcall\tunknown@PLT\n"), 0u);
  EXPECT_EQ(need("\tcall\tf\n"), 0u);
  EXPECT_EQ(need("\tcall\t*%rax\n"), 0u);
  EXPECT_EQ(need("\tjmp\t*(%rax,%rdx,8)\n"), 0u);
  EXPECT_EQ(need("\tsubq\t%rax, %rsp\n"), 0u);
  EXPECT_EQ(need("\tandq\t$-64, %rsp\n"), 0u);
  EXPECT_EQ(need("\tleave\n"), 0u);
  EXPECT_EQ(need("\t.cfi_def_cfa_register 6\n"), 0u);
  EXPECT_EQ(need("#APP\n\tpush %rax\n#NO_APP\n"), 0u);
  EXPECT_EQ(need("#APP\n\tnop; push %rax\n#NO_APP\n"), 0u);
}

TEST(StackNeeds, ThatAreSmallMakePrefetchesSuperfluous) {
  const std::string prefetch = "\tprefetcht0 (%rcx) # far stacks\n";
  EXPECT_THAT(finished(function("f", prefetch), {.prove_stacks = true}), Not(HasSubstr("prefetch")));
  EXPECT_THAT(finished(function("f", prefetch + "\tcall\tg\n"), {.prove_stacks = true}), HasSubstr("prefetch"));
  EXPECT_THAT(finished(function("f", prefetch)), HasSubstr("prefetch"));
}

}  // namespace
}  // namespace assay::simt::finish
