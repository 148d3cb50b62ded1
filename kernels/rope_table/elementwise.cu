// One thread per angle: the variant to read first.
//
// Accesses are coalesced, but four bytes at a time.
#include "kernels/device/grid.cuh"

namespace {

// inv_freq: (half)  cosines, sines: (positions, half)
__global__ void rope_table(const float* inv_freq, float* cosines, float* sines, int64_t positions, int64_t half,
                           float factor) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < positions * half; i += step)
    sincosf(static_cast<float>(i / half) / factor * inv_freq[i % half], &sines[i], &cosines[i]);
}

void run(assay::Call& call) {
  const int64_t positions = call.dim("max_seq"), half = call.dim("D") / 2;
  if (positions == 0) return;
  assay::launch(rope_table, assay::device::striding(call, positions * half), call.in<float>("inv_freq"),
                call.out<float>("cos"), call.out<float>("sin"), positions, half, call.real("factor"));
}

const assay::RegisterVariant kVariant({.op = "rope_table",
                                       .name = "elementwise",
                                       .summary = "a thread per angle",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .any_grid = true,
                                       .run = run});

}  // namespace
