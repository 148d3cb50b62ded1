// Both products on tensor cores, softmax kept online in registers: no score is ever stored.
//
// Against flash_tiled: f16 and bf16 only, whose products a warp has done at once for 16 queries and 8 keys instead of
// one by one in f32. The price is that weights are rounded to the dtype before they multiply the values, that heads are
// of a multiple of 8 up to 256 elements, and that NaN in the data is followed only where every query sees every key.
// The kernel is in kernels/device/tensor_core_forward.cuh.
#include "kernels/device/no_bias.cuh"
#include "kernels/device/tensor_core_forward.cuh"

namespace {

using namespace assay::device;

std::optional<std::string> unsupported(const assay::Case& c) { return tensor_core_forward_unsupported(c, false); }

void run(assay::Call& call) {
  by_tensor_core_dtype(call, [&]<class T>() { launch_tensor_core_forward<T>(call, NoBias()); });
}

const assay::RegisterVariant kVariant({.op = "attention_forward",
                                       .name = "tensor_core",
                                       .summary = "both products by mma.sync on tiles, softmax online in registers",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 16,  // of cp.async
                                       .rounds = {"p"},
                                       .unsupported = unsupported,
                                       .adjust = round_head_up,
                                       .element_at = attention_element_at,
                                       .run = run});

}  // namespace
