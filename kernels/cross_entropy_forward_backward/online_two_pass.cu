// Maximum and sum of a row in one pass over packs of 16 bytes, the gradient in a second; losses added in a fixed order.
//
// Against block_per_row: the logits are read twice instead of three times (the second time from L2 as a rule), two
// barriers replace a tree, and the loss has the same bits in every run. It costs an exponential more for every pack
// that raises a thread's maximum, a f32 of workspace per row, a second launch, and needs multiples of 32 threads.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using assay::device::kWarp;
using assay::device::Pack;

constexpr unsigned kLossThreads = 256;

// The maximum of some elements and the sum of exp(element - maximum). No element: -inf and 0.
struct Online {
  float maximum;
  float total;
};

// Scales a total from its own maximum to a common one. Equal maxima need no scaling, and infinite ones admit none.
__device__ float rescaled(const Online& part, float maximum) {
  return part.maximum == maximum ? part.total : part.total * expf(part.maximum - maximum);
}

__device__ Online merged(const Online& a, const Online& b) {
  const float maximum = assay::device::Larger()(a.maximum, b.maximum);
  return {maximum, rescaled(a, maximum) + rescaled(b, maximum)};
}

template <class T>
__device__ void add_pack(Online& state, const Pack<T>& pack) {
  float maximum = state.maximum;
  for (const T& value : pack.values) maximum = assay::device::Larger()(maximum, static_cast<float>(value));
  if (maximum == -INFINITY) return;  // nothing but -inf so far: adds nothing to any row that has a finite element
  state.total = rescaled(state, maximum);
  for (const T& value : pack.values) state.total += expf(static_cast<float>(value) - maximum);
  state.maximum = maximum;
}

// Every thread gets the block's result. scratch: (blockDim.x / 32).
__device__ Online block_merged(Online state, Online* scratch) {
  const unsigned lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  const auto warp_merged = [](Online value) {
    for (int distance = 16; distance > 0; distance /= 2)
      value = merged(value, {__shfl_xor_sync(assay::device::kAllLanes, value.maximum, distance),
                             __shfl_xor_sync(assay::device::kAllLanes, value.total, distance)});
    return value;
  };
  state = warp_merged(state);
  if (lane == 0) scratch[threadIdx.x / kWarp] = state;
  __syncthreads();
  return warp_merged(lane < warps ? scratch[lane] : Online{-INFINITY, 0});
}

template <class T>
__global__ void cross_entropy(const T* logits,          // (gridDim.x, classes)
                              const uint32_t* targets,  // (gridDim.x)
                              const uint32_t* count,    // (1)
                              T* grad,                  // (gridDim.x, classes)
                              float* losses,            // (gridDim.x)
                              int64_t classes, uint32_t pad_id, bool of_rows) {
  __shared__ Online scratch[kWarp];
  const T* row = logits + blockIdx.x * classes;
  T* grad_row = grad + blockIdx.x * classes;
  const int64_t target = targets[blockIdx.x], packs = assay::device::pack_count<T>(classes);
  const bool padding = target == pad_id || target >= classes;
  const bool row_aligned = assay::device::is_pack_aligned(row), grad_aligned = assay::device::is_pack_aligned(grad_row);

  Online state = {-INFINITY, 0};
  for (int64_t p = threadIdx.x; p < packs && !padding; p += blockDim.x)
    add_pack(state, assay::device::load_pack(row, p * Pack<T>::kWidth, classes, row_aligned, -INFINITY));
  const float of_target = padding ? 0 : static_cast<float>(row[target]);  // before grad, which may be in its place
  state = block_merged(state, scratch);

  const float inverse = 1 / state.total, scale = 1 / static_cast<float>(*count);
  for (int64_t p = threadIdx.x; p < packs; p += blockDim.x) {
    const int64_t first = p * Pack<T>::kWidth;
    Pack<T> pack;
    if (!padding) pack = assay::device::load_pack(row, first, classes, row_aligned, 0);
    for (int i = 0; i < Pack<T>::kWidth; ++i) {
      const float probability = padding ? 0 : expf(static_cast<float>(pack.values[i]) - state.maximum) * inverse;
      pack.values[i] = static_cast<T>(padding ? 0 : (first + i == target ? probability - 1 : probability) * scale);
    }
    assay::device::store_pack(grad_row, first, classes, grad_aligned, pack);
  }
  if (threadIdx.x > 0) return;
  const float row_loss = padding ? 0 : logf(state.total) - (of_target - state.maximum);
  losses[blockIdx.x] = of_rows || padding ? row_loss : row_loss * scale;
}

// loss += the sum of losses, in an order that depends on nothing but their number. One block.
__global__ void add_losses(const float* losses,  // (rows)
                           float* loss,          // (1)
                           int64_t rows) {
  __shared__ float scratch[kWarp];
  float sum = 0;
  for (int64_t n = threadIdx.x; n < rows; n += blockDim.x) sum += losses[n];
  sum = assay::device::block_reduce_by_warps(sum, scratch, assay::device::Add());
  if (threadIdx.x == 0) *loss += sum;
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("N"), classes = call.dim("V");
  if (rows == 0) return;  // without classes, every row is padding
  const auto pad_id = static_cast<uint32_t>(std::stoul(call.text("pad_id")));
  const bool of_rows = call.text("loss") == "rows";
  auto* losses = of_rows ? call.out<float>("loss") : call.workspace<float>();
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(cross_entropy<T>, assay::device::block_for_each(call, rows), call.in<T>("logits"),
                  call.in<uint32_t>("targets"), call.in<uint32_t>("count"), call.out<T>("grad"), losses, classes,
                  pad_id, of_rows);
  });
  if (of_rows) return;
  assay::launch(add_losses, {.grid = dim3(1), .block = dim3(kLossThreads)}, losses, call.out<float>("loss"), rows);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("N") <= 0x7FFFFFFF) return std::nullopt;
  return "one block per row: a grid has at most 2^31 - 1";
}

const assay::RegisterVariant kVariant(
    {.op = "cross_entropy_forward_backward",
     .name = "online_two_pass",
     .summary = "maximum and sum in one pass of 16-byte loads; reproducible loss",
     .blocks = {32, 64, 96, 128, 192, 256, 512, 1024},
     .domains = {{.name = "loss", .values = {"total", "rows"}},
                 {.name = "counted", .values = {"call", "batch"}},
                 {.name = "alias", .values = {"none", "grad:logits"}}},
     .unsupported = unsupported,
     .workspace_bytes = [](const assay::Case& c) { return c.text("loss") == "rows" ? 0 : c.dim("N") * 4; },
     .run = run});

}  // namespace
