// Attention's gradients in tiles that own their keys, without one_launch's blocks of three sorts.
#include "harness/op/variant.h"

namespace {

const assay::RegisterVariant kVariant(
    {.op = "layer_backward",
     .name = "owned_tiles",
     .summary = "attention's gradients in tiles that own their keys, a kernel for each gradient of a product",
     .dtypes = {assay::DType::f32},
     .steps = {{"split2", "vector_packs"},
               {"down", "three_kernels"},
               {"gate", "packs"},
               {"up", "three_kernels"},
               {"norm2", "row_in_registers"},
               {"merge2", "vector_packs"},
               {"split1", "vector_packs"},
               {"project", "kernel_per_gradient"},
               {"attend", "owned_tiles"},
               {"turn", "pair_packs"},
               {"qkv", "kernel_per_gradient"},
               {"norm1", "row_in_registers"},
               {"merge1", "vector_packs"}}});

}  // namespace
