// That inline PTX is found in code alone, with its place.
#include "harness/adapter/read/inline_assembly.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(InlineAssembly, IsFoundWithItsFileAndLine) {
  EXPECT_EQ(inline_assembly("int a;\n__device__ void f() {\n  asm volatile(\"nop;\");\n}\n"), "line 3");
  EXPECT_EQ(inline_assembly(
                "#line 7 \"a.cu\"\nint a;\n#line 1 \"b.cuh\"\n\nvoid f() { __asm__ __volatile__(\"bar.sync 0;\"); }\n"),
            "b.cuh:2");
  EXPECT_EQ(inline_assembly("#line 7 \"a.cu\"\n#define WAIT() asm(\"cp.async.wait_all;\")\n"), "a.cu:7");
  EXPECT_EQ(inline_assembly("int asm_count; // asm(\"x\")\nconst char* s = \"asm(\";\n"), std::nullopt);
}

}  // namespace
}  // namespace assay
