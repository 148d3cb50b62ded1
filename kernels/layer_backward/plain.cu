// The plainest kernel of every step.
#include "harness/op/variant.h"

namespace {

const assay::RegisterVariant kVariant({.op = "layer_backward",
                                       .name = "plain",
                                       .summary = "the plainest kernel of every step",
                                       .dtypes = {assay::DType::f32},
                                       .steps = {{"split2", "elementwise"},
                                                 {"down", "three_kernels"},
                                                 {"gate", "elementwise"},
                                                 {"up", "three_kernels"},
                                                 {"norm2", "column_sums"},
                                                 {"merge2", "elementwise"},
                                                 {"split1", "elementwise"},
                                                 {"project", "kernel_per_gradient"},
                                                 {"attend", "stored_pairs"},
                                                 {"turn", "elementwise"},
                                                 {"qkv", "kernel_per_gradient"},
                                                 {"norm1", "column_sums"},
                                                 {"merge1", "elementwise"}}});

}  // namespace
