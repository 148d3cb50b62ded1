// Tiles of 32 queries × 32 keys without atomics: a pass of blocks that own keys writes dK and dV, another of blocks
// that own queries writes dQ.
//
// Against flash_tiled: the same bits in every run and no f32 copy of dQ, for seven products of two matrices instead of
// five, because each pass computes the scores and dP again. Any head size; above 128 lanes each slice of 128 computes
// them once more.
#include "kernels/device/attention_backward_passes.cuh"
#include "kernels/device/attention_delta.cuh"

namespace {

using namespace assay::device;

void run(assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  assay::by_dtype(call, [&]<class T>() {
    const auto in = backward_inputs<T>(call, given_or_computed_delta<T>(call, a, call.workspace<float>()), NoBias{});
    launch_key_gradients<false>(call, in, nullptr);
    launch_query_gradients(call, in);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "two_pass_tiles",
                                       .summary = "a pass over tiles for dK and dV and one for dQ, no atomics",
                                       .domains = {dkv_either_way(), delta_either_way()},
                                       .unsupported = unsupported_by_passes,
                                       .adjust = take_from_forward,
                                       .element_at = attention_element_at,
                                       .workspace_bytes = delta_bytes,
                                       .run = run});

}  // namespace
