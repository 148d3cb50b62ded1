// One block walks over everything and combines by a tree: the variant to read first.
//
// No workspace and one launch; a single multiprocessor reads it all.
#include "harness/op/variant.h"
#include "kernels/device/finite_stats.cuh"

namespace {

using namespace assay::device;

__global__ void tensor_stats(const float* x, StatsOutputs out, int64_t count) {  // x: (count)
  __shared__ FiniteStats scratch[1024];
  FiniteStats stats = no_stats();
  for (int64_t i = threadIdx.x; i < count; i += blockDim.x) add_element(stats, x[i]);
  stats = block_stats(stats, scratch);
  if (threadIdx.x == 0) write_stats(stats, count, out);
}

void run(assay::Call& call) {
  using Count = unsigned long long;
  const StatsOutputs out{call.out<Count>("nans"), call.out<Count>("infinities"), call.out<float>("least"),
                         call.out<float>("largest"), call.out<float>("mean")};
  assay::launch(tensor_stats, {.grid = dim3(1), .block = dim3(call.block())}, call.in<float>("x"), out, call.dim("n"));
}

const assay::RegisterVariant kVariant({.op = "tensor_stats",
                                       .name = "one_block",
                                       .summary = "one block walks over all elements",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1000, 1024},
                                       .run = run});

}  // namespace
