// Square tiles of 16, head after head, one thread for each element of out: the variant to read first.
//
// The sum goes on from head to head, so that each element of out is written once, with the bias. Weights in blocks
// become f32 in workspace first, and activations in q8_k with the heads of a token side by side, as their blocks are.
#include "kernels/device/attention_project.cuh"
#include "kernels/device/in_f32.cuh"
#include "kernels/device/square_tile.cuh"

namespace {

using namespace assay::device;

// attn: (H, T, ad)  wo: (H, aE, ad) or (aE, H, ad)  bo: (aE), or null  out: (T, aE)
template <class T>
__global__ void __launch_bounds__(kSquare* kSquare)
    attention_project(const T* attn, const T* wo, const float* bo, T* out, AttentionProjectArgs args) {
  __shared__ SquareTiles tiles;
  const GemmArgs head = args.of_head(bo);
  const SquarePlace place(head, blockIdx.x);
  float sum = 0;
  for (int64_t h = 0; h < args.heads; ++h)
    sum += product_by_squares(attn + args.attn_at(h, 0, 0), wo + args.wo_at(0, h, 0), head, place, tiles);
  head.store(out, place.row, place.col, sum);
}

// to: (tokens, heads, lanes) from (heads, tokens, lanes), or with `back` the other way round
template <class T>
__global__ void exchange(const T* from, T* to, AttentionProjectArgs args, bool back) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= args.heads * args.tokens * args.lanes) return;
  const int64_t lane = i % args.lanes, head = i / args.lanes % args.heads, token = i / args.lanes / args.heads;
  const int64_t in_heads = args.attn_at(head, token, lane);
  to[back ? in_heads : i] = from[back ? i : in_heads];
}

// attn as the blocks of its tokens' rows mean it.
template <class T>
const T* through_codes(const assay::Call& call, F32Copies& copies, const AttentionProjectArgs& args) {
  const T* const attn = call.in<T>("attn");
  if (!packs_activations(call.c())) return attn;
  const int64_t count = args.heads * args.tokens * args.lanes;
  T *const rows = call.workspace<T>(), *const heads = rows + count;
  const assay::Launch shape = {.grid = dim3(assay::ceil_div(count, kWidenThreads)), .block = dim3(kWidenThreads)};
  assay::launch(exchange<T>, shape, attn, rows, args, false);
  assay::launch(exchange<T>, shape, copies.activations<T>(rows, count), heads, args, true);
  return heads;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (gemm_blocks(c.dim("T"), c.dim("aE"), kSquare, kSquare) <= INT32_MAX) return std::nullopt;
  return "out has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const AttentionProjectArgs args = attention_project_args(call.c());
  if (args.tokens == 0) return;
  const auto blocks = static_cast<unsigned>(gemm_blocks(args.tokens, args.outs, kSquare, kSquare));
  assay::by_dtype(call, [&]<class T>() {
    F32Copies copies(call,
                     call.workspace<float>() + 2 * copied_activations(call.c(), args.heads * args.tokens * args.lanes));
    const T* const attn = through_codes<T>(call, copies, args);
    const T* const wo = copies.weights<T>("wo", args.outs * args.heads * args.lanes);
    assay::launch(attention_project<T>, {.grid = dim3(blocks), .block = dim3(kSquare, kSquare)}, attn, wo,
                  call.in<float>("bo"), call.out<T>("out"), args);
  });
}

int64_t workspace_bytes(const assay::Case& c) {
  const AttentionProjectArgs args = attention_project_args(c);
  const int64_t row = args.heads * args.lanes;
  return 4 * (3 * copied_activations(c, args.tokens * row) + copied_weights(c, "wo", args.outs * row));
}

const assay::RegisterVariant kVariant({.op = "attention_project",
                                       .name = "shared_tile",
                                       .summary = "square tiles head after head, a thread per element of out",
                                       .domains = with_blocks({"wo"}),
                                       .unsupported = unsupported,
                                       .element_at = attention_project_element_at,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
