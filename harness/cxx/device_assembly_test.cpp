// Assembly with host code in it, and what is left of that.
#include "harness/cxx/device_assembly.h"

#include <gmock/gmock.h>

namespace assay::cxx {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A function as g++ writes it.
std::string function(const std::string& name, const std::string& body) {
  return "\t.section\t.text." + name + ",\"ax\",@progbits\n\t.globl\t" + name + "\n\t.type\t" + name + ", @function\n" +
         name + ":\n.LFB_" + name + ":\n\t.cfi_startproc\n" + body + "\t.cfi_endproc\n.LFE_" + name + ":\n\t.size\t" +
         name + ", .-" + name + "\n";
}
std::string kernel(const std::string& name, const std::string& body) {
  return function(name, "#APP\n# 3 \"a.cu\" 1\n\t# assay kernel start_" + name + " sizes_" + name +
                            " 2\n# 0 \"\" 2\n#NO_APP\n" + body);
}

const std::string kText =
    kernel("k", "\tcall\thelper\n\tmovl\tused(%rip), %eax\n") + function("helper", "\tcall\tprintf\n\tret\n") +
    function("start_k", "\tret\n") + "\t.data\nsizes_k:\n\t.quad\t8, 4, 8, 4\n" +
    "used:\n\t.long\t5\n\t.size\tused, 4\nunused:\n\t.quad\thost_only\n" +
    function("main", "\tcall\tcudaMalloc\n\tcall\tk\n") +
    "\t.section\t.text.unlikely\n\t.cfi_startproc\n\t.type\tmain.cold, @function\nmain.cold:\n\tcall\tabort\n"
    "\t.cfi_endproc\n" +
    "\t.section\t.init_array,\"aw\"\n\t.quad\t_GLOBAL__sub_I_main\n" + "\t.section\t.debug_info\n\t.quad\t.LFB_main\n";

TEST(DeviceAssembly, WhatNoKernelReachesGoes) {
  const std::string text = DevicePart(kText, {}).print();
  EXPECT_THAT(text, AllOf(HasSubstr("\nk:\n"), HasSubstr("\nhelper:\n"), HasSubstr("call\tprintf"),
                          HasSubstr("\nstart_k:\n"), HasSubstr("used:\n\t.long\t5")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("cudaMalloc")), Not(HasSubstr("abort")), Not(HasSubstr("host_only"))));
  EXPECT_THAT(text, Not(HasSubstr("\nmain:\n"))) << "its name would stand for what comes to lie there";
  EXPECT_THAT(text, Not(HasSubstr(".size\tmain")));
  EXPECT_THAT(text, HasSubstr(".LFB_main:")) << "debugging information names it";
  EXPECT_THAT(text, Not(HasSubstr("_GLOBAL__sub_I_main"))) << "no constructor of the host's runs";
}

TEST(DeviceAssembly, KernelsAndVariablesAreListed) {
  const std::string text = DevicePart(kText, {"used", "not_here"}).print();
  EXPECT_THAT(text, HasSubstr("\t.quad\t.Lassay_symbol0, .Lassay_start0, sizes_k, sizes_k+8*2, 2, k, 1, 0, 0, 0, 0\n"))
      << "it is observed, because it prints";
  EXPECT_THAT(text, HasSubstr(", used, 4, 1\n"));
  EXPECT_THAT(DevicePart(kText, {}).print(), HasSubstr(", used, 4, 1\n")) << "the host need not know it";
  EXPECT_THAT(text, Not(HasSubstr("not_here")));
  EXPECT_THAT(text, HasSubstr("\t.quad\tassay_complete_table\n"));
}

TEST(DeviceAssembly, AVariableBehindSharedMemoryIsListed) {
  const std::string text = kernel("k", "\tmovl\tcounter(%rip), %eax\n") +
                           "\t.section\t.tbss.tile,\"awT\",@nobits\n\t.type\ttile, @object\n\t.size\ttile, 4\n"
                           "tile:\n\t.zero\t4\n\t.local\tcounter\n\t.comm\tcounter,4,4\n";
  EXPECT_THAT(DevicePart(text, {}).print(), HasSubstr(", counter, 4, 1\n"));
}

TEST(DeviceAssembly, AnotherFilesNeedsAreKept) {
  DevicePart one(kernel("k", "\tcall\tshared@PLT\n"), {});
  DevicePart other(function("shared", "\tcall\tdeeper\n") + function("deeper", "\tret\n") + function("host", "\tret\n"),
                   {});
  EXPECT_THAT(one.undefined(), Contains("shared"));
  EXPECT_TRUE(other.need("shared"));
  EXPECT_FALSE(other.need("shared")) << "it is kept already";
  EXPECT_FALSE(other.need("nothing"));
  EXPECT_THAT(other.print(), AllOf(HasSubstr("\nshared:\n"), HasSubstr("\ndeeper:\n"), Not(HasSubstr("\nhost:\n"))));
}

TEST(DeviceAssembly, AVariableWithoutValueStaysItsFilesOwn) {
  const std::string text = DevicePart(kernel("k", "\tmovl\tmine(%rip), %eax\n") + "\t.data\nhost:\n\t.long\t1\n" +
                                          "\t.local\tmine\n\t.comm\tmine,4,4\n\t.local\tother\n\t.comm\tother,4,4\n",
                                      {})
                               .print();
  EXPECT_THAT(text, HasSubstr("\t.local\tmine\n\t.comm\tmine,4,4\n"));
  EXPECT_THAT(text, Not(HasSubstr("other")));
}

TEST(DeviceAssembly, AVariableThatAConstructorMakesIsNamed) {
  const std::string text =
      kernel("k", "\tmovl\tmade(%rip), %eax\n") + "\t.data\nmade:\n\t.zero\t4\nhosts:\n\t.zero\t4\n";
  EXPECT_THAT(
      DevicePart(text + function("_GLOBAL__sub_I_k", "\tmovl\t%eax, made(%rip)\n\tmovl\t%eax, hosts(%rip)\n"), {})
          .made_at_load(),
      ElementsAre("made"));
  EXPECT_THAT(DevicePart(text + function("_GLOBAL__sub_I_k", "\tmovl\t%eax, hosts(%rip)\n"), {}).made_at_load(),
              IsEmpty());
}

TEST(DeviceAssembly, ATextNamesNothing) {
  const std::string text =
      DevicePart(kernel("k", "\tleaq\t.LC0(%rip), %rdi\n") + "\t.section\t.rodata\n.LC0:\n\t.string\t\"in main\"\n" +
                     function("main", "\tcall\tcudaMalloc\n"),
                 {})
          .print();
  EXPECT_THAT(text, AllOf(HasSubstr("in main"), Not(HasSubstr("cudaMalloc"))));
}

}  // namespace
}  // namespace assay::cxx
