// Two products by square tiles and a kernel between them, for every `form`: the variant to read first.
//
// h and g go through memory in the case's dtype, also where nobody asked for them: in workspace then. Weights in blocks
// and activations in q8_k become f32 there first.
#include "kernels/device/in_f32.cuh"
#include "kernels/device/mlp_swiglu.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

constexpr int kThreads = 128;

template <class T>
__global__ void __launch_bounds__(kSquare* kSquare) multiply(const T* a, const T* b, T* c, GemmArgs args) {
  __shared__ SquareTiles tiles;
  const SquarePlace place(args, blockIdx.x);
  args.store(c, place.row, place.col, product_by_squares(a, b, args, place, tiles));
}

// h: (T, 2 inner)  g: (T, inner), of `count` elements
template <class T>
__global__ void gate(const T* h, T* g, int64_t count, int64_t inner) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const T* row = h + i / inner * 2 * inner;
  g[i] = static_cast<T>(gated(static_cast<float>(row[i % inner]), static_cast<float>(row[inner + i % inner])));
}

template <class T>
void launch_product(const T* a, const T* b, T* c, const GemmArgs& args) {
  const int64_t blocks = gemm_blocks(args.rows, args.cols, kSquare, kSquare);
  assay::launch(multiply<T>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kSquare, kSquare)}, a, b, c,
                args);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  const MlpArgs args = mlp_args(c, nullptr, nullptr);
  if (gemm_blocks(args.up.rows, args.up.cols, kSquare, kSquare) <= INT32_MAX &&
      gemm_blocks(args.down.rows, args.down.cols, kSquare, kSquare) <= INT32_MAX)
    return std::nullopt;
  return "h or y has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const MlpArgs args = mlp_args(call);
  const int64_t inner = args.down.depth, count = args.down.rows * inner;
  if (args.up.rows == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    F32Copies copies(call, call.workspace<float>() + 3 * count);
    T* const kept_h = call.out<T>("h");
    T* const kept_g = call.out<T>("g");
    T* const h = kept_h != nullptr ? kept_h : call.workspace<T>();
    T* const g = kept_g != nullptr ? kept_g : call.workspace<T>() + 2 * count;
    launch_product(copies.activations(call.in<T>("x"), args.up.rows * args.up.depth),
                   copies.weights<T>("w1", args.up.cols * args.up.depth), h, args.up);
    assay::launch(gate<T>, {.grid = dim3(assay::ceil_div(count, kThreads)), .block = dim3(kThreads)}, h, g, count,
                  inner);
    launch_product<T>(copies.activations<T>(g, count), copies.weights<T>("w2", args.down.cols * inner),
                      call.out<T>("y"), args.down);
  });
}

int64_t workspace_bytes(const assay::Case& c) {
  const int64_t tokens = c.dim("T"), width = c.dim("aE"), inner = c.dim("aI");
  return 4 * (3 * tokens * inner + copied_activations(c, tokens * (width + inner)) +
              copied_weights(c, "w1", 2 * inner * width) + copied_weights(c, "w2", inner * width));
}

const assay::RegisterVariant kVariant(
    {.op = "mlp_swiglu",
     .name = "three_kernels",
     .summary = "two products by square tiles, silu and its product in a kernel between them",
     .rounds = {"h", "g"},
     .domains = with_blocks({"w1", "w2"}),
     .unsupported = unsupported,
     .element_at = mlp_element_at,
     .workspace_bytes = workspace_bytes,
     .run = run});

}  // namespace
