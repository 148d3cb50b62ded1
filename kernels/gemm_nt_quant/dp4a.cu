// Given activations multiplied as codes, four at a time by __dp4a, and scaled by groups: exact except for the scaling.
//
// Against elementwise: a quarter of the instructions, and no dequantised number anywhere. Codes without a sign are
// multiplied as they are stored; the code of 0, and an offset, go by the sum of the activations' codes.
#include "kernels/device/grid.cuh"
#include "kernels/device/quantised.cuh"

namespace {

using namespace assay::device;

// The scale and offset of a group of codes: an element is scale · (code - code of 0) + offset.
struct Scales {
  float scale, offset;
};

// The parts of a format beside its element(): codes i to i + 3 as bytes, the code that means 0, and the scales of the
// group that begins at i.
template <class Format>
struct Packed;

template <bool kOffset, bool kFifth>
struct Packed<SplitHalves<kOffset, kFifth>> {
  using Format = SplitHalves<kOffset, kFifth>;
  static constexpr int kGroup = 32, kZero = Format::kZero;
  __device__ static int codes(const uint8_t* block, int i) {
    uint32_t low = word_at(block + Format::kCodesAt + i % 16) >> (i < 16 ? 0 : 4) & 0x0F0F0F0F;
    if constexpr (kFifth) {
      const uint32_t fifths = word_at(block + Format::kFifthsAt) >> i;
      low |= (fifths & 1) << 4 | (fifths & 2) << 11 | (fifths & 4) << 18 | (fifths & 8) << 25;
    }
    return static_cast<int>(low);
  }
  __device__ static Scales scales(const uint8_t* block, int) {
    return {half_at(block), kOffset ? half_at(block + 2) : 0};
  }
};

template <>
struct Packed<Q8_0> {
  static constexpr int kGroup = 32, kZero = 0;
  __device__ static int codes(const uint8_t* block, int i) { return static_cast<int>(word_at(block + 2 + i)); }
  __device__ static Scales scales(const uint8_t* block, int) { return {half_at(block), 0}; }
};

template <>
struct Packed<Q4_K> {
  static constexpr int kGroup = 32, kZero = 0;
  __device__ static int codes(const uint8_t* block, int i) {
    return static_cast<int>(word_at(block + 16 + i / 64 * 32 + i % 32) >> (i % 64 < 32 ? 0 : 4) & 0x0F0F0F0F);
  }
  __device__ static Scales scales(const uint8_t* block, int i) {
    const uint8_t* packed = block + 4;
    const int j = i / 32, first = packed[j % 4], second = packed[j % 4 + 4], third = packed[j % 4 + 8];
    const int scale = j < 4 ? first & 63 : (third & 15) | first >> 6 << 4;
    const int minimum = j < 4 ? second & 63 : third >> 4 | second >> 6 << 4;
    return {half_at(block) * static_cast<float>(scale), -half_at(block + 2) * static_cast<float>(minimum)};
  }
};

template <>
struct Packed<Q6_K> {
  static constexpr int kGroup = 16, kZero = 32;
  __device__ static int codes(const uint8_t* block, int i) {
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32;
    const uint32_t low = word_at(block + half * 64 + quarter % 2 * 32 + lane) >> (quarter < 2 ? 0 : 4) & 0x0F0F0F0F;
    const uint32_t high = word_at(block + 128 + half * 32 + lane) >> (2 * quarter) & 0x03030303;
    return static_cast<int>(low | high << 4);
  }
  __device__ static Scales scales(const uint8_t* block, int i) {
    return {half_at(block + 208) * static_cast<float>(signed_at(block + 192 + i / 16)), 0};
  }
};

__device__ float scale_of(const uint8_t* block, Q8_0) { return half_at(block); }
__device__ float scale_of(const uint8_t* block, Q8_K) { return __uint_as_float(word_at(block)); }

// A thread per element of C. a: (rows, depth), b: (cols, depth), in blocks  bias: (cols), or null  c: (rows, cols)
template <class Weights, class Activations>
__global__ void gemm(const uint8_t* a, const uint8_t* b, const float* bias, float* c, int64_t rows, int64_t cols,
                     int64_t depth) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  constexpr int kElements = Weights::kElements, kCodesAt = kElements == 32 ? 2 : 4;
  const int64_t blocks = depth / kElements;
  a += byte_of<Activations>(i / cols * blocks);
  b += byte_of<Weights>(i % cols * blocks);

  float sum = bias ? bias[i % cols] : 0;
  for (int64_t block = 0; block < blocks; ++block, a += Activations::kBytes, b += Weights::kBytes) {
    const float d = scale_of(a, Activations());
    for (int first = 0; first < kElements; first += Packed<Weights>::kGroup) {
      int products = 0, codes = 0;
      for (int e = first; e < first + Packed<Weights>::kGroup; e += 4) {
        const int x = static_cast<int>(word_at(a + kCodesAt + e));
        products = __dp4a(Packed<Weights>::codes(b, e), x, products);
        codes = __dp4a(0x01010101, x, codes);
      }
      const Scales scales = Packed<Weights>::scales(b, first);
      products -= Packed<Weights>::kZero * codes;
      sum += d * (scales.scale * static_cast<float>(products) + scales.offset * static_cast<float>(codes));
    }
  }
  c[i] = sum;
}

std::optional<std::string> unsupported(const assay::Case& c) {
  int64_t count = 0;
  if (c.text("activations") == "f32") return "activations given as blocks";
  if (__builtin_mul_overflow(c.dim("M"), c.dim("N"), &count) || count > int64_t{INT32_MAX} * *c.block)
    return "a thread per element of C, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void adjust(assay::Case& c) {
  const std::string& format = c.text("format");
  c.set("activations", format == "q4_k" || format == "q6_k" ? "q8_k" : "q8_0");
}

void run(assay::Call& call) {
  const int64_t rows = call.dim("M"), cols = call.dim("N"), count = rows * cols;
  if (count == 0) return;
  by_format(call.text("format"), [&]<class Weights>() {
    if constexpr (!std::is_same_v<Weights, Q8_K>) {
      using Activations = std::conditional_t<Weights::kElements == 32, Q8_0, Q8_K>;
      assay::launch(gemm<Weights, Activations>, thread_for_each(call, count), call.in<uint8_t>("a"),
                    call.in<uint8_t>("b"), call.in<float>("bias"), call.out<float>("c"), rows, cols, call.dim("K"));
    }
  });
}

const assay::RegisterVariant kVariant({.op = "gemm_nt_quant",
                                       .name = "dp4a",
                                       .summary = "codes times codes by __dp4a, scaled by groups; A is given as blocks",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = unsupported,
                                       .adjust = adjust,
                                       .run = run});

}  // namespace
