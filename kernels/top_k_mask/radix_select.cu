// A block per row finds the k-th largest value by its digits: one histogram of eight bits per pass over the row.
//
// Against bisection: two passes for 16-bit elements and four for f32 instead of one per bit, with 16-byte accesses.
// Ties are cut in the pass that writes, by counting them in the order of the row, which costs that pass a scan.
#include "kernels/device/grid.cuh"
#include "kernels/device/radix_cut.cuh"

namespace {

using namespace assay::device;

struct One {
  template <class T>
  __device__ unsigned operator()(T) const {
    return 1;
  }
};

template <class T>
__global__ void top_k_mask(T* logits, int64_t vocab, unsigned k) {  // logits: (gridDim.x, vocab)
  __shared__ CutScratch<unsigned> scratch;
  __shared__ unsigned by_warp[kWarp];
  T* row = logits + blockIdx.x * vocab;
  const Cut<unsigned> cut = find_cut(row, vocab, k, One(), scratch);
  mask_below(row, vocab, cut.key, cut.wanted, static_cast<T>(-INFINITY), by_warp);
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V"), k = call.dim("k");
  if (rows == 0 || k >= vocab) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(top_k_mask<T>, block_for_each(call, rows), call.out<T>("logits"), vocab, static_cast<unsigned>(k));
  });
}

const assay::RegisterVariant kVariant({.op = "top_k_mask",
                                       .name = "radix_select",
                                       .summary = "a block per row, the k-th largest key by histograms of its digits",
                                       .blocks = {32, 64, 96, 128, 160, 256, 512, 1024},
                                       .unsupported = too_many_blocks("a block per row", {"rows"}),
                                       .run = run});

}  // namespace
