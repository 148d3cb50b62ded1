// A block per query, which computes its probabilities again and adds its part to every key's gradients: the variant to
// read first.
//
// Any block size, head size and length; takes nothing from the forward. The gradients of keys are float atomics, so two
// runs differ in the last bits. Two numbers of workspace for every pair of query and key.
#include "kernels/device/attention_backward_inputs.cuh"
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace {

using namespace assay::device;

template <class T>
__device__ float dot_of(const T* x, const T* y, int64_t count) {
  float dot = 0;
  for (int64_t d = 0; d < count; ++d) dot += static_cast<float>(x[d]) * static_cast<float>(y[d]);
  return dot;
}

template <class T>
__global__ void attention_backward(const T* q, const T* k, const T* v,
                                   const T* dout,         // (B, tokens, heads, D) or head-major
                                   T* dq,                 // as q
                                   float* dk, float* dv,  // as k, added to
                                   float* pairs,          // 2 of (B, H, Sq, Sk)
                                   AttentionArgs a) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x;  // of (B, H, Sq)
  const int64_t i = row % a.queries, h = row / a.queries % a.heads, b = row / a.queries / a.heads, g = a.kv_head(h);
  const int64_t visible = a.visible(i);
  float *p = pairs + 2 * row * a.keys, *ds = p + a.keys;
  q += a.q.at(b, i, h);
  dout += a.q.at(b, i, h);
  dq += a.q.at(b, i, h);

  float maximum = Larger::kIdentity;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    p[j] = dot_of(q, k + a.kv.at(b, j, g), a.dim) * a.scale;
    maximum = Larger()(maximum, p[j]);
  }
  maximum = block_reduce(maximum, scratch, Larger());
  float sum = 0;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    p[j] = expf(p[j] - maximum);
    sum += p[j];
  }
  sum = block_reduce(sum, scratch, Add());

  float delta = 0;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    p[j] /= sum;
    ds[j] = dot_of(dout, v + a.kv.at(b, j, g), a.dim);
    delta += p[j] * ds[j];
  }
  delta = block_reduce(delta, scratch, Add());
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) ds[j] = p[j] * (ds[j] - delta);
  __syncthreads();

  for (int64_t d = threadIdx.x; d < a.dim; d += blockDim.x) {
    float sum_dq = 0;
    for (int64_t j = 0; j < visible; ++j) {
      const int64_t at = a.kv.at(b, j, g) + d;
      sum_dq += ds[j] * static_cast<float>(k[at]);
      atomicAdd(&dk[at], a.scale * ds[j] * static_cast<float>(q[d]));
      atomicAdd(&dv[at], p[j] * static_cast<float>(dout[d]));
    }
    dq[d] = static_cast<T>(a.scale * sum_dq);
  }
}

__global__ void clear(float* x, float* y, int64_t count) {  // x, y: (count)
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) x[i] = y[i] = 0;
}

int64_t pair_bytes(const assay::Case& c) {
  return 2 * c.dim("B") * c.dim("H") * c.dim("Sq") * c.dim("Sk") * int64_t{sizeof(float)};
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("saved") != "none") return "computes the probabilities again; use saved=none";
  if (c.text("grads") != "f32" && c.dtype != assay::DType::f32) return "adds dK and dV up where they are, in f32";
  if (c.dim("B") * c.dim("H") * c.dim("Sq") > INT32_MAX)
    return "a block per query, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  const int64_t key_elements = a.batch * a.keys * a.kv_heads * a.dim;
  assay::by_dtype(call, [&]<class T>() {
    float *dk = call.out<float>("dk"), *dv = call.out<float>("dv");
    if (!adds_to_keys(call.c()))
      assay::launch(clear, {.grid = dim3(assay::ceil_div(key_elements, 256)), .block = dim3(256)}, dk, dv,
                    key_elements);
    assay::launch(attention_backward<T>, block_for_each(call, a.batch * a.heads * a.queries), call.in<T>("q"),
                  call.in<T>("k"), call.in<T>("v"), call.in<T>("do"), call.out<T>("dq"), dk, dv,
                  call.workspace<float>(), a);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward",
                                       .name = "recomputed_rows",
                                       .summary = "a block per query, probabilities computed again, float atomics",
                                       .blocks = {32, 33, 64, 96, 128, 256},
                                       .deterministic = false,
                                       .domains = {dkv_either_way()},
                                       .unsupported = unsupported,
                                       .element_at = attention_element_at,
                                       .workspace_bytes = pair_bytes,
                                       .run = run});

}  // namespace
