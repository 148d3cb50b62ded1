// Training's choice: scores are stored for a backward that reads the probabilities, everything else is as in flash.
#include "kernels/device/formats.cuh"

namespace {

const assay::RegisterVariant kVariant({.op = "layer_forward",
                                       .name = "stored_scores",
                                       .summary = "scores in memory for a backward, everything else as in flash",
                                       .dtypes = {assay::DType::f32},
                                       .domains = assay::device::without_blocks({"wq", "wk", "wv", "wo", "w1", "w2"}),
                                       .steps = {{"norm1", "row_in_registers"},
                                                 {"qkv", "heads_in_one_product"},
                                                 {"turn", "pair_packs"},
                                                 {"attend", "stored_scores"},
                                                 {"project", "register_blocks"},
                                                 {"join1", "vector_packs"},
                                                 {"norm2", "row_in_registers"},
                                                 {"mlp", "three_kernels"},
                                                 {"join2", "vector_packs"}}});

}  // namespace
