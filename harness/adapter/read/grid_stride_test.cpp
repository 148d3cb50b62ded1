// Tests which grids a kernel's text shows that it takes.
#include "harness/adapter/read/grid_stride.h"

#include <gtest/gtest.h>

#include "harness/adapter/read/test_infer_from_text.h"

namespace assay {
namespace {

bool strides(const std::string& body) {
  const auto source = read_text("__global__ void k(float* x, float* partial, int n) {\n" + body + "\n}\n");
  EXPECT_TRUE(source.has_value()) << body;
  return source && strides_by_grid(source->kernels.at(0));
}

TEST(GridStride, IsSeenInItsUsualForms) {
  for (const std::string body :
       {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = 0;",
        "for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 0;",
        "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;\n"
        "while (i < n) { x[i] = 0; i += step; }",
        "const int64_t step = int64_t{gridDim.x} * blockDim.x;\n"
        "for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) x[i] = 0;",
        "const long step = static_cast<long>(gridDim.x) * blockDim.x;\n"
        "for (long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) x[i] = 0;",
        "for (int row = blockIdx.x; row < n; row += gridDim.x) x[row] = 0;"})
    EXPECT_TRUE(strides(body)) << body;
}

// Each of these computes something else under another grid, or may.
TEST(GridStride, IsNotSeenWhereTheGridMayMatter) {
  for (const std::string body :
       {"int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0;", "x[blockIdx.x] = gridDim.x;",
        "for (int row = blockIdx.x; row < n; row += gridDim.x) partial[blockIdx.x] += x[row];",
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = gridDim.x;",
        "for (int y = blockIdx.y; y < n; y += gridDim.y) x[y] = 0;",
        "int step = gridDim.x * blockDim.x; int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < step) x[i] = 0;",
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = 0;\n"
        "__threadfence(); if (blockIdx.x == 0) x[0] = 1;",
        "int chunk = (n + gridDim.x - 1) / gridDim.x; for (int i = blockIdx.x * chunk; i < n; ++i) x[i] = 0;"})
    EXPECT_FALSE(strides(body)) << body;
}

}  // namespace
}  // namespace assay
