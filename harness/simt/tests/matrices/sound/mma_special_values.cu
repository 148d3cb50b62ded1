// EXPECT: PASS: subnormals count in full, infinities and NaN go through, tf32 has 19 bits, sums round in f32 in order.
// RUNS IN: fast and checked
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

namespace {

using namespace assay::simt::test;

// Passes every f32 on as it is.
struct UnroundedTf32 : M16n8k8Tf32 {
  template <int count, class Element>
  __device__ static void fragment(uint32_t (&registers)[count], Element element) {
    for (int i = 0; i < count; ++i) registers[i] = __float_as_uint(element(i));
  }
};

// Row r of the product is a_value[r] * b_value[0] + b_value[1] + b_value[2], in every column.
template <class Shape>
__global__ void special_values_kernel(float* out, const float* a_value, const float* b_value) {
  const int lane = threadIdx.x;
  multiply<Shape>(
      out,
      [&](int i) {
        const auto at = Shape::in_a(lane, i);
        return at.col == 0 ? a_value[at.row] : at.col < 3 ? 1.0f : 0.0f;
      },
      [&](int i) {
        const int k = Shape::in_b(lane, i).row;
        return k < 3 ? b_value[k] : 0.0f;
      });
}

template <class Shape>
std::vector<float> product(const std::vector<float>& a, float b0, float b1, float b2) {
  const float b[3] = {b0, b1, b2};
  std::vector<float> rows(a), out(16 * 8);
  rows.resize(16);
  launch_kernel(special_values_kernel<Shape>, {1, 32}, out.data(), rows.data(), b);
  for (size_t row = 0; row < 16; ++row) rows[row] = out[row * 8 + row % 8];
  return rows;
}

}  // namespace

ASSAY_KERNEL_TEST(mma_special_values) {
  const float infinity = INFINITY;
  const std::vector<float> f16 =
      product<M16n8k16<__half>>({0x1p-24f, -0x3ffp-24f, 65504, infinity, -infinity, NAN}, 1, 0, 0);
  if (f16[0] != 0x1p-24f || f16[1] != -0x3ffp-24f || f16[2] != 65504) return "f16 is not widened exactly";
  if (f16[3] != infinity || f16[4] != -infinity || f16[5] == f16[5]) return "f16 infinity or NaN";
  const std::vector<float> bf16 = product<M16n8k8<__nv_bfloat16>>({0x1p-130f, -0x1.fep127f, infinity, NAN}, 1, 0, 0);
  if (bf16[0] != 0x1p-130f || bf16[1] != -0x1.fep127f || bf16[2] != infinity || bf16[3] == bf16[3])
    return "bf16 is not widened exactly";
  // Bits beyond f32 are lost, and which ones they are shows the order: 2^60 - 2^60 + 1 is 1, 2^60 + 1 - 2^60 is 0.
  const std::vector<float> cancels_first = product<M16n8k16<__nv_bfloat16>>({0x1p60f}, 1, -0x1p60f, 1);
  const std::vector<float> cancels_last = product<M16n8k16<__nv_bfloat16>>({0x1p60f}, 1, 1, -0x1p60f);
  if (cancels_first[0] != 1 || cancels_last[0] != 0) return "sums are not f32 in ascending k";
  const std::vector<float> tf32 = product<M16n8k8Tf32>({0x1.002p0f, 0x1.001p0f, -0x1.003p0f, 0x1.0009p0f}, 1, 0, 0);
  if (tf32[0] != 0x1.004p0f || tf32[1] != 0x1p0f || tf32[2] != -0x1.004p0f || tf32[3] != 0x1p0f)
    return "tf32 is not rounded to 11 bits, ties away from zero";
  const std::vector<float> cut = product<UnroundedTf32>({0x1.003ffep0f, -0x1.fffffep0f}, 1, 0, 0);
  if (cut[0] != 0x1p0f || cut[1] != -0x1.ffcp0f) return "of a tf32 register more than 19 bits count";
  return "";
}
