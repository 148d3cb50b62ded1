// EXPECT: MISMATCH PROPERTY NONFINITE. The mean is that of a sum in f32.
// SMALLEST: nonfinite=none block=32
// BUGS: 2 because a sum of the largest numbers overflows, too
// TWIN: The sum is in double.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/finite_stats.cuh"

__global__ void tensor_stats(const float* x, assay::device::StatsOutputs out, int64_t count) {  // x: (count)
  if (threadIdx.x != 0) return;
  assay::device::FiniteStats stats = assay::device::no_stats();
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    assay::device::add_element(stats, x[i]);
    if (isfinite(x[i])) sum += x[i];
  }
  if (ASSAY_PLANTED) stats.sum = sum;
  assay::device::write_stats(stats, count, out);
}

void run(assay::Call& call) {
  using Count = unsigned long long;
  const assay::device::StatsOutputs out{call.out<Count>("nans"), call.out<Count>("infinities"),
                                        call.out<float>("least"), call.out<float>("largest"), call.out<float>("mean")};
  assay::launch(tensor_stats, {.grid = dim3(1), .block = dim3(call.block())}, call.in<float>("x"), out, call.dim("n"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "tensor_stats", .name = ASSAY_PLANTED ? "mean_by_sums_in_f32" : "mean_by_sums_in_f64", .run = run});
