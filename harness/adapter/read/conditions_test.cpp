// Macros that bring a kernel.
#include "harness/adapter/read/conditions.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Conditions, AreThoseAroundALine) {
  const std::string text =
      "#ifndef GUARD_H\n#define GUARD_H\n#ifdef USE_CUDA  // yes\n#if defined(WITH_HALF)\nint a;\n#endif\nint "
      "b;\n#endif\n"
      "int c;\n";
  EXPECT_THAT(macros_needed(text, 5), ElementsAre("USE_CUDA", "WITH_HALF"));
  EXPECT_THAT(macros_needed(text, 7), ElementsAre("USE_CUDA"));
  EXPECT_THAT(macros_needed(text, 9), IsEmpty());
}

TEST(Conditions, OfOtherBranchesAndManyNamesSayNothing) {
  EXPECT_THAT(macros_needed("#ifdef A\n#else\nint a;\n#endif", 3), IsEmpty());
  EXPECT_THAT(macros_needed("#if A && B\nint a;\n#endif", 2), IsEmpty());
  EXPECT_THAT(macros_needed("#ifdef __CUDACC__\nint a;\n#endif", 2), IsEmpty());
  EXPECT_THAT(macros_needed("#define A 1\n#ifdef A\nint a;\n#endif", 3), IsEmpty());
  EXPECT_THAT(macros_needed("#endif\n#else\nint a;", 3), IsEmpty()) << "not balanced";
}

}  // namespace
}  // namespace assay
