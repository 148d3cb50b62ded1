// A product for each head of q, k and v, by square tiles, one launch after the other: the variant to read first.
//
// H + 2 HK launches, each of which reads all of x, and of which none fills a GPU when tokens are few. Weights in blocks
// and activations in q8_k become f32 in workspace first.
#include "kernels/device/in_f32.cuh"
#include "kernels/device/qkv_project.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

// x: (T, aE)  w: (ad, aE)  out: (T, ad)
template <class T>
__global__ void __launch_bounds__(kSquare* kSquare) project_head(const T* x, const T* w, T* out, GemmArgs args) {
  __shared__ SquareTiles tiles;
  const SquarePlace place(args, blockIdx.x);
  args.store(out, place.row, place.col, product_by_squares(x, w, args, place, tiles));
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (gemm_blocks(c.dim("T"), c.dim("ad"), kSquare, kSquare) <= INT32_MAX) return std::nullopt;
  return "a head of T=" + c.text("T") + " tokens has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  if (call.dim("T") == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    F32Copies copies(call, call.workspace<float>());
    Projections<T> all = projections<T>(call);
    all.x = copies.activations(all.x, all.tokens * all.ins);
    all.each[0].w = copies.weights<T>("wq", all.each[0].cols() * all.ins);
    all.each[1].w = copies.weights<T>("wk", all.each[1].cols() * all.ins);
    all.each[2].w = copies.weights<T>("wv", all.each[2].cols() * all.ins);
    for (const Projection<T>& p : all.each)
      for (int64_t h = 0; h < p.heads; ++h) {
        GemmArgs args = projection_args(all.tokens, all.ins, p.places.lanes);
        if (p.bias != nullptr) args.bias = p.bias + h * p.places.lanes;
        const int64_t blocks = gemm_blocks(args.rows, args.cols, kSquare, kSquare);
        assay::launch(project_head<T>, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kSquare, kSquare)},
                      all.x, p.w + h * args.cols * args.depth, p.out + p.places.at(h, 0, 0), args);
      }
  });
}

int64_t workspace_bytes(const assay::Case& c) {
  const int64_t ins = c.dim("aE"), head = c.dim("ad") * ins;
  return 4 * (copied_activations(c, c.dim("T") * ins) + copied_weights(c, "wq", c.dim("H") * head) +
              copied_weights(c, "wk", c.dim("HK") * head) + copied_weights(c, "wv", c.dim("HK") * head));
}

const assay::RegisterVariant kVariant({.op = "qkv_project",
                                       .name = "kernel_per_head",
                                       .summary = "a product by square tiles for each head of q, k and v",
                                       .domains = with_blocks({"wq", "wk", "wv"}),
                                       .unsupported = unsupported,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
