// One warp per block of elements: extremes by shuffles, a lane for every 32nd element.
//
// Against thread_per_block: reads are coalesced and happen once. The fifth bits of a block are one ballot, and the high
// half of a byte of codes comes from the lane 16 further on.
#include "kernels/device/grid.cuh"
#include "kernels/device/quantise.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

__device__ Extremes warp_extremes(Extremes extremes) {
  for (int step = kWarp / 2; step > 0; step /= 2)
    extremes = merged(
        extremes, {__shfl_xor_sync(kAllLanes, extremes.least, step), __shfl_xor_sync(kAllLanes, extremes.largest, step),
                   __shfl_xor_sync(kAllLanes, extremes.deciding, step),
                   __shfl_xor_sync(kAllLanes, extremes.finite ? 1 : 0, step) != 0});
  return extremes;
}

// The codes of elements lane, lane + 32, … of the block.
template <class Format>
__device__ void put_codes(const int* codes, int lane, uint8_t* block) {
  if constexpr (kIsSplit<Format>) {
    const int high = __shfl_down_sync(kAllLanes, codes[0], 16);
    if (lane < 16) block[Format::kCodesAt + lane] = static_cast<uint8_t>((codes[0] & 15) | (high & 15) << 4);
    if constexpr (Format::kHasFifth) {
      const unsigned fifths = __ballot_sync(kAllLanes, codes[0] >> 4 & 1);
      if (lane < 4) block[Format::kFifthsAt + lane] = static_cast<uint8_t>(fifths >> (8 * lane));
    }
  } else {
    constexpr int kCodesAt = kIsQ8K<Format> ? 4 : 2;
    for (int part = 0; part < Format::kElements / kWarp; ++part) {
      block[kCodesAt + kWarp * part + lane] = static_cast<uint8_t>(codes[part]);
      if constexpr (kIsQ8K<Format>) {
        int sum = codes[part];
        for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
        if (lane % 16 == 0) put_bytes(block + 260 + 2 * (2 * part + lane / 16), static_cast<uint32_t>(sum), 2);
      }
    }
  }
}

template <class Format>
__global__ void quantize(const float* x, uint8_t* q, int64_t blocks) {  // x: (blocks, elements)  q: (blocks, bytes)
  constexpr int kParts = Format::kElements / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warps = static_cast<int>(blockDim.x) / kWarp;
  const int64_t step = int64_t{gridDim.x} * warps;
  for (int64_t b = int64_t{blockIdx.x} * warps + threadIdx.x / kWarp; b < blocks; b += step) {
    float own[kParts];
    for (int part = 0; part < kParts; ++part) own[part] = x[b * Format::kElements + kWarp * part + lane];
    Extremes extremes = extremes_of(own[0]);
    for (int part = 1; part < kParts; ++part) extremes = merged(extremes, extremes_of(own[part]));
    extremes = warp_extremes(extremes);
    const Scale scale = scale_of<Format>(extremes);
    int codes[kParts];
    for (int part = 0; part < kParts; ++part)
      codes[part] = extremes.finite ? code_of<Format>(own[part], scale) : zero_code<Format>();
    uint8_t* block = q + byte_of<Format>(b);
    if (lane == 0) put_scale<Format>(block, scale, extremes.finite);
    put_codes<Format>(codes, lane, block);
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("rows") * call.dim("K");
  if (count == 0) return;
  by_quantised_format(call.text("format"), [&]<class Format>() {
    const int64_t blocks = count / Format::kElements;
    assay::launch(quantize<Format>, striding(call, blocks * kWarp), call.in<float>("x"), call.out<uint8_t>("q"),
                  blocks);
  });
}

const assay::RegisterVariant kVariant({.op = "quantize",
                                       .name = "warp_per_block",
                                       .summary = "a warp per block of elements, extremes by shuffles",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128, 256, 512, 1024},
                                       .any_grid = true,
                                       .element_at = blocks_element_at,
                                       .run = run});

}  // namespace
