// The plainest kernel of every step: one to read, and one to compare the others with.
#include "kernels/device/formats.cuh"

namespace {

const assay::RegisterVariant kVariant({.op = "layer_forward",
                                       .name = "plain",
                                       .summary = "the plainest kernel of every step",
                                       .dtypes = {assay::DType::f32},
                                       .domains = assay::device::with_blocks({"wq", "wk", "wv", "wo", "w1", "w2"}),
                                       .steps = {{"norm1", "block_per_row"},
                                                 {"qkv", "kernel_per_head"},
                                                 {"turn", "elementwise"},
                                                 {"attend", "stored_scores"},
                                                 {"project", "shared_tile"},
                                                 {"join1", "elementwise"},
                                                 {"norm2", "block_per_row"},
                                                 {"mlp", "three_kernels"},
                                                 {"join2", "elementwise"}}});

}  // namespace
