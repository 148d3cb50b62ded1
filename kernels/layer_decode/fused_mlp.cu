// The MLP of the one token in one kernel, which stores nothing between its products.
#include "kernels/device/formats.cuh"

namespace {

const assay::RegisterVariant kVariant({.op = "layer_decode",
                                       .name = "fused_mlp",
                                       .summary = "the MLP in one kernel that stores nothing between its products",
                                       .dtypes = {assay::DType::f32},
                                       .domains = assay::device::with_formats({"w1", "w2"}, {"wq", "wk", "wv", "wo"}),
                                       .steps = {{"norm1", "row_in_registers"},
                                                 {"qkv", "heads_in_one_product"},
                                                 {"turn", "pair_packs"},
                                                 {"write", "warp_per_head"},
                                                 {"attend", "block_per_head"},
                                                 {"project", "register_blocks"},
                                                 {"join1", "vector_packs"},
                                                 {"norm2", "row_in_registers"},
                                                 {"mlp", "fused_token"},
                                                 {"join2", "vector_packs"}}});

}  // namespace
