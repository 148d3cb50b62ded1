// EXPECT: PASS: products of random matrices, bit for bit those of a plain loop; several warps, D other than zero.
// RUNS IN: fast and checked
#include "harness/simt/include/simt/rng.h"
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

namespace {

using assay::simt::MatrixPlace;
using namespace assay::simt::test;

// a: (products, 16, K), b: (products, K, 8), d: (products, 16, 8), all f32. `swapped` has lanes take A's element
// (k, row) for (row, k).
template <class Shape, bool swapped>
__global__ void products_kernel(float* d, const float* a, const float* b) {
  const int lane = threadIdx.x % 32, product = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const float* const mine_a = a + product * 16 * Shape::kK;
  const float* const mine_b = b + product * Shape::kK * 8;
  multiply<Shape>(
      d + product * 16 * 8,
      [&](int i) {
        const MatrixPlace at = Shape::in_a(lane, i);
        return swapped ? mine_a[at.col * 16 + at.row] : mine_a[at.row * Shape::kK + at.col];
      },
      [&](int i) {
        const MatrixPlace at = Shape::in_b(lane, i);
        return mine_b[at.row * 8 + at.col];
      });
}

template <class Shape, bool swapped = false>
bool products_are_right() {
  constexpr int kProducts = 6, K = Shape::kK;
  std::vector<float> a(kProducts * 16 * K), b(kProducts * K * 8), d(kProducts * 16 * 8);
  assay::simt::Rng rng(7);
  for (std::vector<float>* values : {&a, &b, &d})
    for (float& value : *values) value = (static_cast<float>(rng.below(257)) - 128) / 64;
  std::vector<float> expected = d;
  for (int p = 0; p < kProducts; ++p)
    for (int row = 0; row < 16; ++row)
      for (int col = 0; col < 8; ++col)
        for (int k = 0; k < K; ++k)
          expected[(p * 16 + row) * 8 + col] += a[(p * 16 + row) * K + k] * b[(p * K + k) * 8 + col];
  launch_kernel(products_kernel<Shape, swapped>, {2, 96}, d.data(), a.data(), b.data());
  return d == expected;
}

}  // namespace

ASSAY_KERNEL_TEST(mma_products) {
  if (!products_are_right<M16n8k16<__half>>()) return "m16n8k16 f16";
  if (!products_are_right<M16n8k16<__nv_bfloat16>>()) return "m16n8k16 bf16";
  if (!products_are_right<M16n8k8<__half>>()) return "m16n8k8 f16";
  if (!products_are_right<M16n8k8<__nv_bfloat16>>()) return "m16n8k8 bf16";
  if (!products_are_right<M16n8k8Tf32>()) return "m16n8k8 tf32";
  if (products_are_right<M16n8k16<__half>, true>()) return "an A that is loaded by columns for rows goes unnoticed";
  return "";
}
