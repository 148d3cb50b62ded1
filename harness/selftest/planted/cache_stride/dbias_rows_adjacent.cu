// EXPECT: INPUT_CHANGED UNWRITTEN MISMATCH PROPERTY. Rows of dbias are taken to lie one after another.
// SMALLEST: D=1 dbias_pad=1
// TWIN: Rows of dbias lie as far apart as the case has them.
#include "harness/selftest/bias_rows.cuh"

using namespace assay::selftest;

__global__ void backward(BiasedInputs in, Gradients out, float* dbias, assay::device::BiasGradientRows rows) {
  for_each_pair(in, out, [&](const Row& row, int64_t j, float ds) {
#if ASSAY_PLANTED
    atomicAdd(&dbias[in.bias.bias_at.at(row.b, row.h, row.i) + j], ds);
#else
    const int64_t head = row.h / in.bias.bias_at.heads_sharing;
    atomicAdd(&dbias[rows.at(row.b % rows.extents.batches, head, row.i % rows.extents.queries) + j], ds);
#endif
  });
}

void run(assay::Call& call) { launch_biased_backward(call, backward, assay::device::bias_gradient_rows(call.c())); }

const assay::RegisterVariant kVariant =
    assay::selftest::planted_taking({.op = "attention_bias_backward",
                                     .name = ASSAY_PLANTED ? "dbias_rows_adjacent" : "dbias_rows_apart",
                                     .deterministic = false,
                                     .domains = {assay::device::any_dbias_pad()},
                                     .run = run},
                                    "lse_delta");
