// embedding_backward by CUB: tokens sorted by their ids, the runs of equal ids by a reduction by key, and a kernel of
// ours that adds up the gradients of a run.
//
// The sort is stable, so a row of the table adds its tokens in their order: the same bits in every run.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include "harness/op/variant.h"
#include "reference/vendor/plan_cache.h"
#include "reference/vendor/scratch.h"

namespace {

using namespace assay::vendor;

struct EmbeddingPlan {
  Scratch tokens, sorted_ids, sorted_tokens, run_ids, run_begins, run_count, sort_temporary, reduce_temporary;
  size_t sort_bytes = 0, reduce_bytes = 0;
};

uint32_t* words(const Scratch& scratch) { return static_cast<uint32_t*>(scratch.get()); }

cudaError_t sort_tokens(const EmbeddingPlan& plan, size_t& bytes, const uint32_t* ids, int64_t tokens) {
  return cub::DeviceRadixSort::SortPairs(plan.sort_temporary.get(), bytes, ids, words(plan.sorted_ids),
                                         words(plan.tokens), words(plan.sorted_tokens), tokens, 0, 32,
                                         static_cast<cudaStream_t>(assay::current_stream()));
}

// A run begins at the least of its places.
cudaError_t find_runs(const EmbeddingPlan& plan, size_t& bytes, int64_t tokens) {
  return cub::DeviceReduce::ReduceByKey(plan.reduce_temporary.get(), bytes, words(plan.sorted_ids), words(plan.run_ids),
                                        thrust::counting_iterator<uint32_t>(0), words(plan.run_begins),
                                        words(plan.run_count), ::cuda::minimum<>(), tokens,
                                        static_cast<cudaStream_t>(assay::current_stream()));
}

__global__ void number_tokens(uint32_t* tokens, int64_t count) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < count) tokens[i] = static_cast<uint32_t>(i);
}

// A block per run.
template <class T>
__global__ void add_runs(const T* g,  // (tokens, dim)
                         const uint32_t* sorted_tokens, const uint32_t* run_ids, const uint32_t* run_begins,
                         const uint32_t* run_count,
                         float* dw,  // (vocab, dim)
                         int64_t tokens, int64_t dim, int64_t vocab) {
  const int64_t run = blockIdx.x, count = *run_count;
  if (run >= count || run_ids[run] >= vocab) return;
  const int64_t begin = run_begins[run], end = run + 1 < count ? run_begins[run + 1] : tokens;
  float* row = dw + run_ids[run] * dim;
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) {
    float sum = row[d];
    for (int64_t place = begin; place < end; ++place) sum += static_cast<float>(g[sorted_tokens[place] * dim + d]);
    row[d] = sum;
  }
}

assay::Result<EmbeddingPlan> make_plan(int64_t tokens) {
  constexpr unsigned kBlock = 256;
  EmbeddingPlan plan;
  for (Scratch* part :
       {&plan.tokens, &plan.sorted_ids, &plan.sorted_tokens, &plan.run_ids, &plan.run_begins, &plan.run_count}) {
    auto memory = allocate_scratch(static_cast<size_t>(tokens) * sizeof(uint32_t));
    if (!memory) return tl::unexpected(memory.error());
    *part = std::move(*memory);
  }
  assay::launch(number_tokens, {.grid = dim3(assay::ceil_div(tokens, kBlock)), .block = dim3(kBlock)},
                words(plan.tokens), tokens);
  for (const cudaError_t error :
       {sort_tokens(plan, plan.sort_bytes, nullptr, tokens), find_runs(plan, plan.reduce_bytes, tokens)})
    if (error != cudaSuccess) return assay::fail(std::string("CUB: ") + cudaGetErrorString(error));
  auto for_sort = allocate_scratch(plan.sort_bytes), for_reduce = allocate_scratch(plan.reduce_bytes);
  if (!for_sort) return tl::unexpected(for_sort.error());
  if (!for_reduce) return tl::unexpected(for_reduce.error());
  plan.sort_temporary = std::move(*for_sort);
  plan.reduce_temporary = std::move(*for_reduce);
  return plan;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  if (c.dim("S") <= INT32_MAX) return std::nullopt;
  return "a block per token: a grid has at most 2^31 - 1";
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim"), vocab = call.dim("vocab");
  if (tokens == 0 || dim == 0 || vocab == 0) return;
  static auto& plans = *new PlanCache<EmbeddingPlan>;
  EmbeddingPlan* plan = plans.get(call.c(), [&] { return make_plan(tokens); });
  if (!plan) return;
  if (note_if_refused("cub::DeviceRadixSort", sort_tokens(*plan, plan->sort_bytes, call.in<uint32_t>("ids"), tokens)) ||
      note_if_refused("cub::DeviceReduce::ReduceByKey", find_runs(*plan, plan->reduce_bytes, tokens)))
    return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(add_runs<T>, {.grid = dim3(static_cast<unsigned>(tokens)), .block = dim3(256)}, call.in<T>("g"),
                  words(plan->sorted_tokens), words(plan->run_ids), words(plan->run_begins), words(plan->run_count),
                  call.out<float>("dw"), tokens, dim, vocab);
  });
}

const assay::RegisterVariant kVariant(
    {.op = "embedding_backward",
     .name = "cub_sort_reduce",
     .summary = "cub::DeviceRadixSort and cub::DeviceReduce::ReduceByKey find the runs of ids, a kernel of ours adds",
     .vendor = "CUB",
     .unsupported = unsupported,
     .run = run});

}  // namespace
