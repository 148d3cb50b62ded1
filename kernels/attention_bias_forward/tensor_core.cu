// Both products on tensor cores; bias and mask are read where a score is ready, as the fragment holds it.
//
// Against flash_tiled: f16 and bf16 only, whose products a warp has done at once for 16 queries and 8 keys instead of
// one by one in f32. The price is that weights are rounded to the dtype before they multiply the values, that heads are
// of a multiple of 8 elements, and that NaN in the data is followed only where every query sees every key. A lane reads
// bias and mask of two neighbouring keys, so that every request touches eight rows of them. The kernel is in
// kernels/device/tensor_core_forward.cuh.
#include "kernels/device/attention_bias.cuh"
#include "kernels/device/tensor_core_forward.cuh"

namespace {

using namespace assay::device;

std::optional<std::string> unsupported(const assay::Case& c) {
  return tensor_core_forward_unsupported(c, c.text("mask") != "none");
}

void run(assay::Call& call) {
  by_tensor_core_dtype(call, [&]<class T>() { launch_tensor_core_forward<T>(call, attention_bias<T>(call)); });
}

const assay::RegisterVariant kVariant({.op = "attention_bias_forward",
                                       .name = "tensor_core",
                                       .summary = "both products by mma.sync on tiles, softmax online in registers",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 16,  // of cp.async
                                       .rounds = {"p"},
                                       .unsupported = unsupported,
                                       .adjust = round_head_up,
                                       .element_at = attention_bias_element_at,
                                       .run = run});

}  // namespace
