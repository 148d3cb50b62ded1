// EXPECT: MISMATCH PROPERTY. The sum of squares is divided by the width of the row with its padding.
// SMALLEST: T=1 aE=2 pad=1 block=32
// TWIN: The sum of squares is divided by the number of its terms.
#include "harness/selftest/rms_norm.cuh"

void run(assay::Call& call) {
  const int64_t stride = call.dim("aE");
  assay::selftest::run_rms_norm(call, ASSAY_PLANTED ? stride : stride - call.dim("pad"), call.real("eps"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "rms_norm_forward", .name = ASSAY_PLANTED ? "mean_over_padding" : "mean_over_row", .run = run});
