// top_k_mask by CUB's segmented radix sort: every row in its order, and minus infinity from the k-th place on.
//
// CUB 3.0 has no selection of the largest elements for segments, so whole rows are sorted.
#include "harness/op/variant.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cub/row_sort.h"
#include "reference/vendor/plan_cache.h"

namespace {

using namespace assay::vendor;

template <class T>
__global__ void mask_from_place(T* logits,                // (rows, vocab)
                                const uint32_t* columns,  // (rows, vocab), each row's columns in its order
                                int64_t vocab, int64_t k) {
  const int64_t row = blockIdx.x * vocab;
  for (int64_t place = k + threadIdx.x; place < vocab; place += blockDim.x)
    logits[row + columns[row + place]] = static_cast<T>(-INFINITY);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (assay::find_fill(c.fill)->has_nan) return "CUB orders NaN by their bits, negative ones last";
  return too_many_to_sort(c.dim("rows"), c.dim("V"));
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V"), k = call.dim("k");
  if (rows == 0 || k >= vocab) return;
  static auto& plans = *new PlanCache<RowSort>;
  RowSort* sorted = plans.get(call.c(), [&] { return RowSort::make(call.dtype(), rows, vocab); });
  if (!sorted || !sorted->run(call.in<void>("logits"))) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(mask_from_place<T>, {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(256)},
                  call.out<T>("logits"), sorted->columns(), vocab, k);
  });
}

const assay::RegisterVariant kVariant({.op = "top_k_mask",
                                       .name = "cub_segmented_sort",
                                       .summary = "rows sorted by cub::DeviceSegmentedRadixSort, then a kernel of ours",
                                       .vendor = "CUB",
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
