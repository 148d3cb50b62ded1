// Keys of a long cache split over blocks and merged, so that few heads fill a GPU; products in registers.
#include "kernels/device/formats.cuh"

namespace {

const assay::RegisterVariant kVariant({.op = "layer_decode",
                                       .name = "split_keys",
                                       .summary = "the keys of a head split over blocks, then merged",
                                       .dtypes = {assay::DType::f32},
                                       .domains = assay::device::without_blocks({"wq", "wk", "wv", "wo", "w1", "w2"}),
                                       .steps = {{"norm1", "row_in_registers"},
                                                 {"qkv", "heads_in_one_product"},
                                                 {"turn", "pair_packs"},
                                                 {"write", "warp_per_head"},
                                                 {"attend", "split_keys"},
                                                 {"project", "register_blocks"},
                                                 {"join1", "vector_packs"},
                                                 {"norm2", "row_in_registers"},
                                                 {"mlp", "gate_in_registers"},
                                                 {"join2", "vector_packs"}}});

}  // namespace
