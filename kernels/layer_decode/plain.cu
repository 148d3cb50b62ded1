// The plainest kernel of every step.
#include "kernels/device/formats.cuh"

namespace {

const assay::RegisterVariant kVariant({.op = "layer_decode",
                                       .name = "plain",
                                       .summary = "the plainest kernel of every step",
                                       .dtypes = {assay::DType::f32},
                                       .domains = assay::device::with_blocks({"wq", "wk", "wv", "wo", "w1", "w2"}),
                                       .steps = {{"norm1", "block_per_row"},
                                                 {"qkv", "kernel_per_head"},
                                                 {"turn", "elementwise"},
                                                 {"write", "elementwise"},
                                                 {"attend", "block_per_head"},
                                                 {"project", "shared_tile"},
                                                 {"join1", "elementwise"},
                                                 {"norm2", "block_per_row"},
                                                 {"mlp", "three_kernels"},
                                                 {"join2", "elementwise"}}});

}  // namespace
