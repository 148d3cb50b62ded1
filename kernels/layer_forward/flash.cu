// Attention that stores no scores, and products in registers: what a layer takes that is in a hurry.
//
// Against plain: all heads in one product, gate and product of the MLP in one kernel, rows in 16-byte packs.
#include "kernels/device/formats.cuh"

namespace {

const assay::RegisterVariant kVariant(
    {.op = "layer_forward",
     .name = "flash",
     .summary = "attention without stored scores, products of all heads and of the gate in one kernel each",
     .dtypes = {assay::DType::f32},
     .domains = assay::device::without_blocks({"wq", "wk", "wv", "wo", "w1", "w2"}),
     .steps = {{"norm1", "row_in_registers"},
               {"qkv", "heads_in_one_product"},
               {"turn", "pair_packs"},
               {"attend", "flash_tiled"},
               {"project", "register_blocks"},
               {"join1", "vector_packs"},
               {"norm2", "row_in_registers"},
               {"mlp", "gate_in_registers"},
               {"join2", "vector_packs"}}});

}  // namespace
