// EXPECT: MISMATCH PROPERTY. Of dgamma and dbeta, the last group is left out where it is not full and not the only one.
// SMALLEST: T=5 E=1 dx=overwrite dw=overwrite block=32
// TWIN: The last group counts, full or not.
#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/block_reduce.cuh"

using assay::device::Add, assay::device::block_reduce;

// dy, x, dx: (tokens, dim)  gamma: (dim)  mean, rstd: (tokens)  partial: (gridDim.x, 2, dim). A block for each group of
// kGroup tokens. The dw and dx of the case are overwritten.
constexpr int64_t kGroup = 4;

__global__ void layer_norm_groups(const float* dy, const float* x, const float* gamma, const float* mean,
                                  const float* rstd, float* dx, float* partial, int64_t tokens, int64_t dim) {
  __shared__ float scratch[128];
  float *of_gamma = partial + blockIdx.x * 2 * dim, *of_beta = of_gamma + dim;
  for (int64_t d = threadIdx.x; d < 2 * dim; d += blockDim.x) of_gamma[d] = 0;
  __syncthreads();
  for (int64_t t = blockIdx.x * kGroup; t < tokens && t < (blockIdx.x + 1) * kGroup; ++t) {
    float sum = 0, dots = 0;
    const auto scaled = [&](int64_t d) { return dy[t * dim + d] * gamma[d]; };
    const auto normalised = [&](int64_t d) { return (x[t * dim + d] - mean[t]) * rstd[t]; };
    for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
      sum += scaled(d);
      dots += scaled(d) * normalised(d);
    }
    const float mean_scaled = block_reduce(sum, scratch, Add()) / static_cast<float>(dim);
    const float mean_dot = block_reduce(dots, scratch, Add()) / static_cast<float>(dim);
    for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
      dx[t * dim + d] = rstd[t] * (scaled(d) - mean_scaled - normalised(d) * mean_dot);
      of_gamma[d] += dy[t * dim + d] * normalised(d);
      of_beta[d] += dy[t * dim + d];
    }
  }
}

__global__ void add_groups(const float* partial, float* dgamma, float* dbeta, int64_t groups, int64_t dim) {
  const int64_t d = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (d >= dim) return;
  dgamma[d] = dbeta[d] = 0;
  for (int64_t g = 0; g < groups; ++g) {
    dgamma[d] += partial[g * 2 * dim + d];
    dbeta[d] += partial[(g * 2 + 1) * dim + d];
  }
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("dx") != "overwrite" || c.text("dw") != "overwrite") return "overwrites";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("T"), dim = call.dim("E"), groups = (tokens + kGroup - 1) / kGroup;
  auto* partial = call.workspace<float>();
  if (tokens > 0)
    assay::launch(layer_norm_groups, assay::device::block_for_each(call, groups), call.in<float>("dy"),
                  call.in<float>("x"), call.in<float>("gamma"), call.in<float>("mean"), call.in<float>("rstd"),
                  call.out<float>("dx"), partial, tokens, dim);
  const int64_t added = ASSAY_PLANTED && groups > 1 ? tokens / kGroup : groups;
  assay::launch(add_groups, assay::device::thread_for_each(call, dim), partial, call.out<float>("dgamma"),
                call.out<float>("dbeta"), added, dim);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "layer_norm_backward",
     .name = ASSAY_PLANTED ? "last_group_dropped" : "last_group_added",
     .unsupported = unsupported,
     .workspace_bytes = [](const assay::Case& c) { return (c.dim("T") + kGroup - 1) / kGroup * 2 * c.dim("E") * 4; },
     .run = run});
