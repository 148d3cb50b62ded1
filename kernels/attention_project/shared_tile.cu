// Square tiles of 16, head after head, one thread for each element of out: the variant to read first.
//
// The sum goes on from head to head, so that each element of out is written once, with the bias.
#include "kernels/device/attention_project.cuh"
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

std::optional<std::string> unsupported(const assay::Case& c) {
  if (gemm_blocks(c.dim("T"), c.dim("aE"), kSquare, kSquare) <= INT32_MAX) return std::nullopt;
  return "out has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const AttentionProjectArgs args = attention_project_args(call.c());
  if (args.tokens == 0) return;
  const auto blocks = static_cast<unsigned>(gemm_blocks(args.tokens, args.outs, kSquare, kSquare));
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_project<T>, {.grid = dim3(blocks), .block = dim3(kSquare, kSquare)}, call.in<T>("attn"),
                  call.in<T>("wo"), call.in<float>("bo"), call.out<T>("out"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_project",
                                       .name = "shared_tile",
                                       .summary = "square tiles head after head, a thread per element of out",
                                       .unsupported = unsupported,
                                       .element_at = attention_project_element_at,
                                       .run = run});

}  // namespace
