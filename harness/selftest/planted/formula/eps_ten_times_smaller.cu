// EXPECT: MISMATCH PROPERTY. eps is a tenth of what the caller asks for, as where another model's is built in.
// SMALLEST: T=1 aE=1 pad=0 block=32
// TWIN: eps is what the caller asks for.
#include "harness/selftest/rms_norm.cuh"

void run(assay::Call& call) {
  const float eps = call.real("eps");
  assay::selftest::run_rms_norm(call, call.dim("aE") - call.dim("pad"), ASSAY_PLANTED ? eps / 10 : eps);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "rms_norm_forward", .name = ASSAY_PLANTED ? "eps_ten_times_smaller" : "eps_as_given", .run = run});
