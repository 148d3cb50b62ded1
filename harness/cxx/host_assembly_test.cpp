// The host's assembly and the description behind it.
#include "harness/cxx/host_assembly.h"

#include <gmock/gmock.h>

namespace assay::cxx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCode =
    "\t.hidden\tassay_this_kernel\n\t.text\n\t.type\t_Z1kPi, @function\n_Z1kPi:\n\t.cfi_startproc\n"
    "\tleaq\tassay_this_kernel(%rip), %rdi\n\tret\n\t.cfi_endproc\n\t.size\t_Z1kPi, .-_Z1kPi\n"
    "\t.local\t_ZL7counter\n\t.comm\t_ZL7counter,4,4\n\t.data\n_ZN4mine5tableE:\n\t.zero\t12\n"
    "\t.size\t_ZN4mine5tableE, 12\n\t.size\tother, 4\n\t.hidden\tassay_program_description\n";

TEST(HostAssembly, AKernelsFunctionNamesItself) {
  const DescribedCode described = with_description({.assembly = kCode, .variables = {}, .device_code = "code"});
  EXPECT_THAT(described.assembly, HasSubstr("\tleaq\t_Z1kPi(%rip), %rdi\n"));
  EXPECT_THAT(described.assembly, Not(HasSubstr("assay_this_kernel")));
  EXPECT_THAT(described.assembly, AllOf(HasSubstr("\t.quad\t_Z1kPi, .Lassay_name0\n"), HasSubstr(".incbin\t\"code\"")));
}

TEST(HostAssembly, VariablesAreFoundByTheirLastNames) {
  const DescribedCode described = with_description(
      {.assembly = kCode, .variables = {"counter", "table"}, .device_code = "", .is_relocatable = true});
  EXPECT_THAT(described.variables, ElementsAre("_ZL7counter", "_ZN4mine5tableE"));
  EXPECT_THAT(described.assembly, AllOf(HasSubstr("\t.quad\t_ZL7counter, .Lassay_name1, 4\n"),
                                        HasSubstr("\t.quad\t_ZN4mine5tableE, .Lassay_name2, 12\n")));
  EXPECT_THAT(described.assembly, AllOf(HasSubstr("\t.quad\t1, 1, .Lassay_code"), Not(HasSubstr(".incbin"))));
}

}  // namespace
}  // namespace assay::cxx
