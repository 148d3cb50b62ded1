// top_p_mask by CUB: a segmented radix sort of every row, a scan of the sorted probabilities, and zero from the first
// place on whose predecessors reach p.
//
// The scan adds in f32 in an order that timing decides, so two runs may differ where a sum lies next to p.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "harness/op/variant.h"
#include "reference/vendor/cub/row_sort.h"
#include "reference/vendor/plan_cache.h"

namespace {

using namespace assay::vendor;

struct RowOf {
  int64_t cols;
  __host__ __device__ int64_t operator()(int64_t element) const { return element / cols; }
};

template <class T>
struct ToFloat {
  __host__ __device__ float operator()(T x) const { return static_cast<float>(x); }
};

struct TopPPlan {
  RowSort sorted;
  Scratch before, cuts, temporary;  // the sum of what comes before each place; how many places a row keeps
  size_t temporary_bytes = 0;
};

// before: (rows, vocab); values: (rows, vocab), every row sorted.
template <class T>
cudaError_t scan_rows(void* temporary, size_t& bytes, const T* values, float* before, int64_t rows, int64_t vocab) {
  return cub::DeviceScan::ExclusiveSumByKey(
      temporary, bytes, thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), RowOf{vocab}),
      thrust::make_transform_iterator(values, ToFloat<T>()), before, rows * vocab, ::cuda::std::equal_to<>(),
      static_cast<cudaStream_t>(assay::current_stream()));
}

// The first place, but never place 0, whose predecessors reach p. Sums of different lengths are rounded differently, so
// a later one may fall below p again: the first counts.
__global__ void find_cuts(const float* before, unsigned* cuts, int64_t vocab, float p) {
  __shared__ unsigned cut;
  if (threadIdx.x == 0) cut = static_cast<unsigned>(vocab);
  __syncthreads();
  for (int64_t place = 1 + int64_t{threadIdx.x}; place < vocab; place += blockDim.x)
    if (!(before[blockIdx.x * vocab + place] < p)) atomicMin(&cut, static_cast<unsigned>(place));
  __syncthreads();
  if (threadIdx.x == 0) cuts[blockIdx.x] = cut;
}

template <class T>
__global__ void zero_from_cut(T* probs, const uint32_t* columns, const unsigned* cuts, int64_t vocab) {
  const int64_t row = blockIdx.x * vocab;
  for (int64_t place = int64_t{cuts[blockIdx.x]} + threadIdx.x; place < vocab; place += blockDim.x)
    probs[row + columns[row + place]] = static_cast<T>(0.f);
}

template <class T>
assay::Result<TopPPlan> make_plan(const assay::Call& call, int64_t rows, int64_t vocab) {
  auto sorted = RowSort::make(call.dtype(), rows, vocab);
  if (!sorted) return tl::unexpected(sorted.error());
  auto before = allocate_scratch(static_cast<size_t>(rows * vocab) * sizeof(float));
  if (!before) return tl::unexpected(before.error());
  auto cuts = allocate_scratch(static_cast<size_t>(rows) * sizeof(unsigned));
  if (!cuts) return tl::unexpected(cuts.error());
  size_t bytes = 0;
  const auto error = scan_rows<T>(nullptr, bytes, nullptr, nullptr, rows, vocab);
  if (error != cudaSuccess) return assay::fail(std::string("cub::DeviceScan: ") + cudaGetErrorString(error));
  auto temporary = allocate_scratch(bytes);
  if (!temporary) return tl::unexpected(temporary.error());
  return TopPPlan{std::move(*sorted), std::move(*before), std::move(*cuts), std::move(*temporary), bytes};
}

std::optional<std::string> unsupported(const assay::Case& c) { return too_many_to_sort(c.dim("rows"), c.dim("V")); }

void run(assay::Call& call) {
  const int64_t rows = call.dim("rows"), vocab = call.dim("V");
  const float p = call.real("p");
  if (rows == 0 || vocab == 0 || p >= 1) return;
  static auto& plans = *new PlanCache<TopPPlan>;
  assay::by_dtype(call, [&]<class T>() {
    TopPPlan* plan = plans.get(call.c(), [&] { return make_plan<T>(call, rows, vocab); });
    if (!plan || !plan->sorted.run(call.in<void>("probs"))) return;
    auto* before = static_cast<float*>(plan->before.get());
    auto* cuts = static_cast<unsigned*>(plan->cuts.get());
    if (note_if_refused("cub::DeviceScan",
                        scan_rows(plan->temporary.get(), plan->temporary_bytes,
                                  static_cast<const T*>(plan->sorted.values()), before, rows, vocab)))
      return;
    const assay::Launch shape{.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(256)};
    assay::launch(find_cuts, shape, before, cuts, vocab, p);
    assay::launch(zero_from_cut<T>, shape, call.out<T>("probs"), plan->sorted.columns(), cuts, vocab);
  });
}

const assay::RegisterVariant kVariant(
    {.op = "top_p_mask",
     .name = "cub_sort_scan",
     .summary = "rows sorted by cub::DeviceSegmentedRadixSort, summed by cub::DeviceScan, then kernels of ours",
     .vendor = "CUB",
     .deterministic = false,
     .unsupported = unsupported,
     .run = run});

}  // namespace
