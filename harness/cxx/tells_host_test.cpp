// Whose words count.
#include "harness/cxx/tells_host.h"

#include <gtest/gtest.h>

namespace assay::cxx {
namespace {

TEST(TellsHost, ByWordsOfTheProgramAlone) {
  EXPECT_TRUE(tells_host("# 1 \"a.cu\"\nvoid f(volatile int* flag);\n"));
  EXPECT_TRUE(tells_host("# 1 \"/usr/include/x.h\" 1 3\nint x;\n# 9 \"a.cu\" 2\natomicExch_system(flag, 1);"));
  EXPECT_FALSE(tells_host("# 1 \"a.cu\"\nvoid f(int* count) { atomicAdd(count, 1); }\n"));
  EXPECT_FALSE(
      tells_host("# 1 \"/usr/include/x.h\" 1 3\nvolatile int x;\n# 2 \"/usr/include/y.h\" 3 4\nvolatile int y;"));
  EXPECT_FALSE(tells_host("# 1 \"/opt/assay/harness/simt/include/simt/atomics.h\" 1\nT add_system(T* x);\n"));
}

}  // namespace
}  // namespace assay::cxx
