// The flash variant: a block per 32 keys goes over the queries that see them, in tiles of 32, and finds all three
// gradients of a tile from one computation of its probabilities.
//
// P = exp(S - LSE) takes the forward's LSE, so no tile needs another one's maximum or sum. dK and dV are summed in
// registers and written once; dQ is added up by f32 atomics, so two runs differ in its last bits. For bf16 and f16 that
// takes an f32 copy of dQ as workspace. Any head size; above 128 lanes each slice of 128 computes the scores once more.
#include "kernels/device/attention_backward_passes.cuh"
#include "kernels/device/attention_delta.cuh"

namespace {

using namespace assay::device;

constexpr unsigned kElementThreads = 256;

__global__ void clear(float* x, int64_t count) {  // x: (count)
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) x[i] = 0;
}

template <class T>
__global__ void convert(const float* x, T* y, int64_t count) {  // x, y: (count)
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] = static_cast<T>(x[i]);
}

int64_t delta_elements(const assay::Case& c) {
  return c.text("saved") == "lse_o" ? c.dim("B") * c.dim("H") * c.dim("Sq") : 0;
}
int64_t query_elements(const assay::Case& c) { return c.dim("B") * c.dim("H") * c.dim("Sq") * c.dim("D"); }

// delta and, unless dQ itself is f32, an f32 dQ.
int64_t workspace_bytes(const assay::Case& c) {
  return (delta_elements(c) + (c.dtype == assay::DType::f32 ? 0 : query_elements(c))) * int64_t{sizeof(float)};
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (query_elements(c) > INT32_MAX * int64_t{kElementThreads})
    return "a thread per element of dQ, and a grid has at most 2^31 - 1 blocks";
  return unsupported_by_passes(c);
}

void run(assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  const int64_t count = a.batch * a.heads * a.queries * a.dim;
  const assay::Launch by_element = {.grid = dim3(assay::ceil_div(count, kElementThreads)),
                                    .block = dim3(kElementThreads)};
  assay::by_dtype(call, [&]<class T>() {
    constexpr bool kInPlace = std::is_same_v<T, float>;
    float* const delta = call.workspace<float>();
    float* const copy = delta + (call.text("saved") == "lse_o" ? a.batch * a.heads * a.queries : 0);
    float* const dq = kInPlace ? call.out<float>("dq") : copy;
    const auto in = backward_inputs<T>(call, given_or_computed_delta<T>(call, a, delta), NoBias{});
    assay::launch(clear, by_element, dq, count);
    launch_key_gradients<true>(call, in, dq);
    if constexpr (!kInPlace) assay::launch(convert<T>, by_element, dq, call.out<T>("dq"), count);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "flash_tiled",
                                       .summary = "a block per tile of keys, all gradients in one pass, dQ by atomics",
                                       .deterministic = false,
                                       .domains = {dkv_either_way(), delta_either_way()},
                                       .unsupported = unsupported,
                                       .adjust = take_from_forward,
                                       .element_at = attention_element_at,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
