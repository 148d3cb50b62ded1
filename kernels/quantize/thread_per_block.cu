// One thread per block of elements: the variant to read first.
//
// It reads the block twice, in strides of a whole block between lanes, and writes bytes one by one.
#include "kernels/device/grid.cuh"
#include "kernels/device/quantise.cuh"

namespace {

using namespace assay::device;

template <class Format>
__device__ void put_codes(const float* x, const Scale& scale, bool finite, uint8_t* block) {
  const auto code = [&](int i) { return finite ? code_of<Format>(x[i], scale) : zero_code<Format>(); };
  if constexpr (kIsSplit<Format>) {
    uint32_t fifths = 0;
    for (int j = 0; j < 16; ++j) {
      const int low = code(j), high = code(j + 16);
      block[Format::kCodesAt + j] = static_cast<uint8_t>((low & 15) | (high & 15) << 4);
      fifths |= static_cast<uint32_t>(low >> 4 & 1) << j | static_cast<uint32_t>(high >> 4 & 1) << (j + 16);
    }
    if constexpr (Format::kHasFifth) put_bytes(block + Format::kFifthsAt, fifths, 4);
  } else {
    constexpr int kCodesAt = kIsQ8K<Format> ? 4 : 2;
    for (int i = 0; i < Format::kElements; ++i) block[kCodesAt + i] = static_cast<uint8_t>(code(i));
    if constexpr (kIsQ8K<Format>)
      for (int group = 0; group < 16; ++group) {
        int sum = 0;
        for (int i = 0; i < 16; ++i) sum += code(16 * group + i);
        put_bytes(block + 260 + 2 * group, static_cast<uint32_t>(sum), 2);
      }
  }
}

template <class Format>
__global__ void quantize(const float* x, uint8_t* q, int64_t blocks) {  // x: (blocks, elements)  q: (blocks, bytes)
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t b = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; b < blocks; b += step) {
    const float* own = x + b * Format::kElements;
    uint8_t* block = q + byte_of<Format>(b);
    Extremes extremes = extremes_of(own[0]);
    for (int i = 1; i < Format::kElements; ++i) extremes = merged(extremes, extremes_of(own[i]));
    const Scale scale = scale_of<Format>(extremes);
    put_scale<Format>(block, scale, extremes.finite);
    put_codes<Format>(own, scale, extremes.finite, block);
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("rows") * call.dim("K");
  if (count == 0) return;
  by_quantised_format(call.text("format"), [&]<class Format>() {
    const int64_t blocks = count / Format::kElements;
    assay::launch(quantize<Format>, striding(call, blocks), call.in<float>("x"), call.out<uint8_t>("q"), blocks);
  });
}

const assay::RegisterVariant kVariant({.op = "quantize",
                                       .name = "thread_per_block",
                                       .summary = "a thread per block of elements, which it reads twice",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {1, 32, 33, 64, 100, 128, 256},
                                       .any_grid = true,
                                       .element_at = blocks_element_at,
                                       .run = run});

}  // namespace
