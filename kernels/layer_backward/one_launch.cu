// The three gradients of each product in one launch; attention's in tiles that own their keys.
#include "harness/op/variant.h"

namespace {

const assay::RegisterVariant kVariant(
    {.op = "layer_backward",
     .name = "one_launch",
     .summary = "the gradients of each product in one launch, attention's in tiles that own their keys",
     .dtypes = {assay::DType::f32},
     .steps = {{"split2", "vector_packs"},
               {"down", "one_launch"},
               {"gate", "packs"},
               {"up", "one_launch"},
               {"norm2", "row_in_registers"},
               {"merge2", "vector_packs"},
               {"split1", "vector_packs"},
               {"project", "one_launch"},
               {"attend", "owned_tiles"},
               {"turn", "pair_packs"},
               {"qkv", "one_launch"},
               {"norm1", "row_in_registers"},
               {"merge1", "vector_packs"}}});

}  // namespace
