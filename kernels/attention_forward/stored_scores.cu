// A block per query, its scores in global memory: the variant to read first.
//
// Any block size, head size and length. Costs a workspace of one f32 for every pair of query and key, and reads every
// key and value once per query. The kernel is in kernels/device/stored_scores.cuh.
#include "kernels/device/no_bias.cuh"
#include "kernels/device/stored_scores.cuh"

namespace {

using namespace assay::device;

void run(assay::Call& call) {
  assay::by_dtype(call, [&]<class T>() { launch_stored_scores<T>(call, NoBias()); });
}

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "stored_scores",
                                       .summary = "a block per query, its scores in global memory",
                                       .blocks = {32, 33, 64, 96, 128, 256},
                                       .unsupported = too_many_blocks("a block per query", {"B", "H", "Sq"}),
                                       .element_at = attention_element_at,
                                       .workspace_bytes = score_bytes,
                                       .run = run});

}  // namespace
