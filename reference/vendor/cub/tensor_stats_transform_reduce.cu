// tensor_stats by cub::DeviceReduce::TransformReduce, one pass that makes all numbers of each element and adds them up,
// and a kernel of ours that writes them to the outputs.
//
// Finite elements are summed in double, because f32's range ends where two of the largest elements are added.
#include <cub/device/device_reduce.cuh>
#include <limits>

#include "harness/op/variant.h"
#include "reference/vendor/plan_cache.h"
#include "reference/vendor/scratch.h"

namespace {

using namespace assay::vendor;

struct Stats {
  uint64_t nans = 0, infinities = 0, finite = 0;
  double sum = 0;
  float least = std::numeric_limits<float>::infinity(), largest = -std::numeric_limits<float>::infinity();
};

struct OfElement {
  __device__ Stats operator()(float x) const {
    Stats stats;
    if (isnan(x)) {
      stats.nans = 1;
    } else if (isinf(x)) {
      stats.infinities = 1;
    } else {
      stats.finite = 1;
      stats.sum = x;
      stats.least = stats.largest = x;
    }
    return stats;
  }
};

struct Together {
  __device__ Stats operator()(const Stats& a, const Stats& b) const {
    Stats stats;
    stats.nans = a.nans + b.nans;
    stats.infinities = a.infinities + b.infinities;
    stats.finite = a.finite + b.finite;
    stats.sum = a.sum + b.sum;
    stats.least = fminf(a.least, b.least);
    stats.largest = fmaxf(a.largest, b.largest);
    return stats;
  }
};

// One thread. Without a finite element the mean is 0/0.
__global__ void write_stats(const Stats* stats, uint64_t* nans, uint64_t* infinities, float* least, float* largest,
                            float* mean) {
  *nans = stats->nans;
  *infinities = stats->infinities;
  *least = stats->least;
  *largest = stats->largest;
  *mean = static_cast<float>(stats->sum / static_cast<double>(stats->finite));
}

struct StatsPlan {
  size_t bytes = 0;
  Scratch temporary, stats;
};

// With null for `temporary` it sets `bytes` alone.
cudaError_t reduce(void* temporary, size_t& bytes, const float* x, Stats* stats, int64_t count) {
  return cub::DeviceReduce::TransformReduce(temporary, bytes, x, stats, count, Together(), OfElement(), Stats(),
                                            static_cast<cudaStream_t>(assay::current_stream()));
}

assay::Result<StatsPlan> make_plan(int64_t count) {
  StatsPlan plan;
  if (const cudaError_t error = reduce(nullptr, plan.bytes, nullptr, nullptr, count); error != cudaSuccess)
    return assay::fail(std::string("CUB: ") + cudaGetErrorString(error));
  auto temporary = allocate_scratch(plan.bytes), stats = allocate_scratch(sizeof(Stats));
  if (!temporary) return tl::unexpected(temporary.error());
  if (!stats) return tl::unexpected(stats.error());
  plan.temporary = std::move(*temporary);
  plan.stats = std::move(*stats);
  return plan;
}

void run(assay::Call& call) {
  static auto& plans = *new PlanCache<StatsPlan>;
  const int64_t count = call.dim("n");
  StatsPlan* plan = plans.get(call.c(), [&] { return make_plan(count); });
  if (!plan) return;
  auto* const stats = static_cast<Stats*>(plan->stats.get());
  if (note_if_refused("cub::DeviceReduce::TransformReduce",
                      reduce(plan->temporary.get(), plan->bytes, call.in<float>("x"), stats, count)))
    return;
  assay::launch(write_stats, {.grid = dim3(1), .block = dim3(1)}, stats, call.out<uint64_t>("nans"),
                call.out<uint64_t>("infinities"), call.out<float>("least"), call.out<float>("largest"),
                call.out<float>("mean"));
}

const assay::RegisterVariant kVariant({.op = "tensor_stats",
                                       .name = "cub_transform_reduce",
                                       .summary = "cub::DeviceReduce::TransformReduce over all numbers of an element",
                                       .dtypes = {assay::DType::f32},
                                       .vendor = "CUB",
                                       .unsupported = [](const assay::Case&) { return std::optional<std::string>(); },
                                       .run = run});

}  // namespace
