// Host variables that are named as what a kernel reads.
#include "harness/adapter/read/host_variables.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(HostVariables, ThatAFunctionDeclaresGetOtherNames) {
  EXPECT_EQ(
      with_host_variables_renamed("void f() {\n  dim3 blockDim(16, 16);\n  int gridDim = 4 / blockDim.x;\n}\n"),
      "void f() {\n  dim3 assay_host_blockDim(16, 16);\n  int assay_host_gridDim = 4 / assay_host_blockDim.x;\n}\n");
}

TEST(HostVariables, OfKernelsAndOfOtherFunctionsStay) {
  const std::string text =
      "__device__ int at() { return blockDim.x; }\n"
      "__global__ void k() { int n = blockDim.x * gridDim.x; }\n"
      "void g() { int a = 1; /* dim3 blockDim */ }\n";
  EXPECT_EQ(with_host_variables_renamed(text), text);
  EXPECT_EQ(with_host_variables_renamed(text + "void f() { dim3 gridDim(1); }\n"),
            text + "void f() { dim3 assay_host_gridDim(1); }\n");
}

}  // namespace
}  // namespace assay
