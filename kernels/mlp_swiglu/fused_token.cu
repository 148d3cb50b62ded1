// One token: a block makes a tile of g in shared memory and multiplies it with its columns of W2 at once.
//
// Against gate_in_registers: a product with one row reads each weight once and computes next to nothing, so nothing is
// kept in registers; a warp reads a row of W1, or the tile's part of a row of W2, in one go, and neither h nor g goes
// through memory. The price is a sum for each block and element of y, which a second launch adds up: 1/64 of W2 in f32,
// written and read. Sums are in the order of the tiles, so the same bits come out each time. Weights in blocks, which
// is what generating a token is bound by, are decoded as they are read.
#include "kernels/device/formats.cuh"
#include "kernels/device/mlp_swiglu.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"
#include "kernels/device/weight_rows.cuh"

namespace {

using namespace assay::device;

constexpr int kTile = 64;  // elements of g of a block
constexpr int kThreads = 256, kWarps = kThreads / static_cast<int>(kWarp);

// a·b over `count` elements, in packs of 16 bytes where both are aligned. Every lane of the warp gets it.
template <class T>
__device__ float warp_dot(const T* a, const T* b, int64_t count) {
  constexpr int kWidth = Pack<T>::kWidth;
  const bool a_aligned = is_pack_aligned(a), b_aligned = is_pack_aligned(b);
  float sum = 0;
  for (int64_t i = threadIdx.x % kWarp * kWidth; i < count; i += kWarp * kWidth) {
    const Pack<T> left = load_pack(a, i, count, a_aligned, 0), right = load_pack(b, i, count, b_aligned, 0);
    for (int j = 0; j < kWidth; ++j) sum += static_cast<float>(left.values[j]) * static_cast<float>(right.values[j]);
  }
  return warp_reduce(sum, Add{});
}

// The same with row `row` of a matrix of blocks.
template <class T>
__device__ float warp_dot_with_blocks(const T* a, WeightKind kind, const void* blocks, int64_t row, int64_t count) {
  float sum = 0;
  for (int64_t k = threadIdx.x % kWarp; k < count; k += kWarp)
    sum += static_cast<float>(a[k]) * block_element(kind, blocks, count, row, k);
  return warp_reduce(sum, Add{});
}

// A matrix of elements, or of blocks.
struct WeightMatrix {
  const void* data;
  WeightKind kind;
};

// x: (aE)  w1: (2 aI, aE)  w2: (aE, aI)  g: (aI), or null  parts: (blocks, aE)
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_tile(const T* x, WeightMatrix w1, WeightMatrix w2, T* g, float* parts, MlpArgs mlp) {
  __shared__ float tile[kTile];
  const int64_t width = mlp.up.depth, inner = mlp.down.depth, first = int64_t{blockIdx.x} * kTile;
  const int count = static_cast<int>(inner - first < kTile ? inner - first : kTile);
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kWarp);
  for (int i = warp; i < count; i += kWarps) {
    const int64_t d = first + i;
    const auto product = [&](int64_t row) {
      if (w1.kind != WeightKind::plain) return warp_dot_with_blocks(x, w1.kind, w1.data, row, width);
      return warp_dot(x, static_cast<const T*>(w1.data) + mlp.up.b.at(row, 0), width);
    };
    float gate = product(d), up = product(inner + d);
    if (mlp.up.bias != nullptr) {
      gate += mlp.up.bias[d];
      up += mlp.up.bias[inner + d];
    }
    if (lane != 0) continue;
    tile[i] = gated(gate, up);
    if (g != nullptr) g[d] = static_cast<T>(tile[i]);
  }
  __syncthreads();
  for (int64_t e = warp; e < width; e += kWarps) {
    float sum = 0;
    for (int i = lane; i < count; i += static_cast<int>(kWarp))
      sum += tile[i] * (w2.kind != WeightKind::plain
                            ? block_element(w2.kind, w2.data, inner, e, first + i)
                            : static_cast<float>(static_cast<const T*>(w2.data)[mlp.down.b.at(e, first + i)]));
    sum = warp_reduce(sum, Add{});
    if (lane == 0) parts[int64_t{blockIdx.x} * width + e] = sum;
  }
}

// parts: (blocks, width)  y: (width)
template <class T>
__global__ void add_parts(const float* parts, const float* bias, T* y, int64_t blocks, int64_t width) {
  const int64_t e = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (e >= width) return;
  float sum = bias != nullptr ? bias[e] : 0;
  for (int64_t b = 0; b < blocks; ++b) sum += parts[b * width + e];
  y[e] = static_cast<T>(sum);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.text("form") == "prefill") return "form=prefill wants h, which this variant never has";
  if (c.dim("aI") > int64_t{INT32_MAX} * kTile) return "a block per 64 elements of g, and a grid has at most 2^31 - 1";
  return std::nullopt;
}

void take_one_token(assay::Case& c) {
  if (c.text("form") != "prefill") return;
  c.set("form", "fused");
  c.set("T", "1");
}

WeightMatrix weights(const assay::Call& call, const std::string& tensor) {
  return {call.in<void>(tensor), weight_kind(call.text(tensor + "_format"))};
}

void run(assay::Call& call) {
  const MlpArgs args = mlp_args(call);
  const int64_t width = args.up.depth, blocks = assay::ceil_div(args.down.depth, kTile);
  assay::by_dtype(call, [&]<class T>() {
    auto* const parts = call.workspace<float>();
    assay::launch(add_tile<T>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kThreads)}, call.in<T>("x"),
                  weights(call, "w1"), weights(call, "w2"), call.out<T>("g"), parts, args);
    assay::launch(add_parts<T>, {.grid = dim3(assay::ceil_div(width, kThreads)), .block = dim3(kThreads)}, parts,
                  args.down.bias, call.out<T>("y"), blocks, width);
  });
}

const assay::RegisterVariant kVariant({.op = "mlp_swiglu",
                                       .name = "fused_token",
                                       .summary = "one token: a tile of g in shared memory, times its part of W2",
                                       .domains = with_formats({"w1", "w2"}, {}),
                                       .unsupported = unsupported,
                                       .adjust = take_one_token,
                                       .workspace_bytes =
                                           [](const assay::Case& c) {
                                             return int64_t{4} * assay::ceil_div(c.dim("aI"), kTile) * c.dim("aE");
                                           },
                                       .run = run});

}  // namespace
