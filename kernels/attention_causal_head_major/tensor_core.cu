// Both products on tensor cores, softmax kept online in registers (kernels/device/tensor_core_forward.cuh).
//
// Against flash_tiled: f16 and bf16 only. The price is that weights are rounded to the dtype before they multiply the
// values, that rows begin at multiples of 16 bytes and have a multiple of 8 up to 256 elements, that NaN is not
// followed, and that no probabilities are saved.
#include "kernels/device/head_major.cuh"
#include "kernels/device/no_bias.cuh"
#include "kernels/device/tensor_core_forward.cuh"

namespace {

using namespace assay::device;

std::optional<std::string> unsupported(const assay::Case& c) {
  const int64_t dim = c.dim("ad") - c.dim("pad");
  if (c.text("probs") == "saved") return "no score is ever stored; use probs=none";
  if (dim % 8 != 0 || c.dim("ad") % 8 != 0)
    return "ad or D is no multiple of 8: rows that do not begin and end at multiples of 16 bytes";
  if (dim > kForwardDimMax) return "D > 256: more outputs than fit in registers";
  if (assay::find_fill(c.fill)->has_nan)
    return "NaN in the values of keys that are not seen: tensor cores multiply them by a weight of 0";
  if (tensor_core_forward_blocks(1, c.dim("H"), c.dim("T")) > INT32_MAX)
    return "a block per 64 queries, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

// Rows and what counts of them to a multiple of 8.
void adjust(assay::Case& c) {
  const int64_t dim = std::min((c.dim("ad") - c.dim("pad") + 7) / 8 * 8, kForwardDimMax);
  const int64_t pad = c.dim("pad") / 8 * 8;
  c.set("probs", "none");
  c.set("aw", c.text("T"));
  c.set("ad", std::to_string(dim + pad));
  c.set("pad", std::to_string(pad));
}

void run(assay::Call& call) {
  const AttentionArgs a = head_major_args(call.c());
  by_tensor_core_dtype(call, [&]<class T>() {
    auto* out = call.out<T>("out");
    launch_tensor_core_forward<T>(a, call.in<T>("q"), call.in<T>("k"), call.in<T>("v"), out, nullptr, NoBias());
    launch_clear_padding(out, a.heads * a.queries, a.dim, call.dim("ad"));
  });
}

const assay::RegisterVariant kVariant({.op = "attention_causal_head_major",
                                       .name = "tensor_core",
                                       .summary = "both products by mma.sync on tiles, softmax online in registers",
                                       .dtypes = {assay::DType::bf16, assay::DType::f16},
                                       .aligned = 16,  // of cp.async
                                       .rounds = {"p"},
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .element_at = head_major_element_at,
                                       .run = run});

}  // namespace
