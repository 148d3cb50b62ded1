// Tiles of 64 by 64 of out, of which each of 64 threads holds an 8 by 8 part in registers while heads go by.
//
// Against shared_tile: 16 numbers read from shared memory serve 64 products, and attn and the weights come from memory
// in packs of 16 bytes. Nobody moves heads side by side first (heads_to_tokens), which would read and write all of attn
// once more. The price is that a head of which the lanes are no multiple of 16 leaves a part of its last step empty.
#include "kernels/device/attention_project.cuh"
#include "kernels/device/formats.cuh"
#include "kernels/device/register_tile.cuh"

namespace {

using namespace assay::device;

// attn: (H, T, ad)  wo: (H, aE, ad) or (aE, H, ad)  bo: (aE), or null  out: (T, aE)
template <class T>
__global__ void __launch_bounds__(kRegisterThreads)
    attention_project(const T* attn, const T* wo, const float* bo, T* out, AttentionProjectArgs args) {
  __shared__ RegisterTiles tiles;
  const GemmArgs head = args.of_head(bo);
  RegisterBlock block(head, blockIdx.x);
  for (int64_t h = 0; h < args.heads; ++h)
    block.multiply(attn + args.attn_at(h, 0, 0), wo + args.wo_at(0, h, 0), head, tiles, [](const RegisterTiles&) {});
  block.for_each([&](int64_t token, int64_t col, float sum) { head.store(out, token, col, sum); });
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (gemm_blocks(c.dim("T"), c.dim("aE"), kRegisterTile, kRegisterTile) <= INT32_MAX) return std::nullopt;
  return "out has more tiles than the 2^31 - 1 blocks of a grid";
}

void run(assay::Call& call) {
  const AttentionProjectArgs args = attention_project_args(call.c());
  if (args.tokens == 0) return;
  const auto blocks = static_cast<unsigned>(gemm_blocks(args.tokens, args.outs, kRegisterTile, kRegisterTile));
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_project<T>, {.grid = dim3(blocks), .block = dim3(kRegisterThreads)}, call.in<T>("attn"),
                  call.in<T>("wo"), call.in<float>("bo"), call.out<T>("out"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_project",
                                       .name = "register_blocks",
                                       .summary = "an 8 by 8 part of out in each thread's registers, head after head",
                                       .domains = without_blocks({"wo"}),
                                       .unsupported = unsupported,
                                       .element_at = attention_project_element_at,
                                       .run = run});

}  // namespace
