// Packs of 16 bytes: a thread turns as many pairs as a pack has lanes, in up to four heads of a token.
//
// Against elementwise: both lanes of a pair come in packs, whichever lanes are a pair, and a pack of cosines and sines
// is read once for four heads. Rows and halves of rows that do not start at a multiple of 16 bytes, as those of D = 40
// in bf16, are moved element by element.
#include "kernels/device/grid.cuh"
#include "kernels/device/rope_pairs.cuh"
#include "kernels/device/rope_qk.cuh"

namespace {

using namespace assay::device;

constexpr int kBlockMax = 512;         // leaves each thread 128 registers
constexpr int64_t kHeadsOfThread = 4;  // that share what is read of the tables

// Elements first … first + kWidth - 1 of a row of the table.
template <int kWidth>
__device__ void load_angles(const float* row, int64_t first, int64_t count, float (&values)[kWidth]) {
  const bool aligned = is_pack_aligned(row);
#pragma unroll
  for (int i = 0; i < kWidth; i += 4) {
    const Pack<float> pack = load_pack(row, first + i, count, aligned, 0);
    for (int j = 0; j < 4; ++j) values[i + j] = pack.values[j];
  }
}

// Packs of a row: those of its pairs and, into other buffers, those of its padding.
template <class T>
__host__ __device__ int64_t packs_of(const RopeArgs& a) {
  return pack_count<T>(a.half()) + (a.in_place ? 0 : pack_count<T>(a.stride - a.dim));
}

template <class T>
__global__ void __launch_bounds__(kBlockMax) rope_qk(RopeTensors<T> tensors, RopeArgs a) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int64_t heads = a.heads + a.kv_heads, packs = packs_of<T>(a), pair_packs = pack_count<T>(a.half());
  const int64_t count = (heads + kHeadsOfThread - 1) / kHeadsOfThread * a.tokens * packs;
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < count; n += step) {
    const int64_t pack = n % packs, token = n / packs % a.tokens, head = n / packs / a.tokens * kHeadsOfThread;
    const int64_t end = head + kHeadsOfThread < heads ? head + kHeadsOfThread : heads;
    if (pack >= pair_packs) {
      for (int64_t h = head; h < end; ++h) {
        T* padding = tensors.out_row(a, h, token) + a.dim;
        Pack<T> zeros;
        for (T& zero : zeros.values) zero = static_cast<T>(0.0f);
        store_pack(padding, (pack - pair_packs) * kWidth, a.stride - a.dim, is_pack_aligned(padding), zeros);
      }
      continue;
    }
    float c[kWidth], s[kWidth];
    load_angles(tensors.cosines + a.angles_at(token), pack * kWidth, a.half(), c);
    load_angles(tensors.sines + a.angles_at(token), pack * kWidth, a.half(), s);
    for (float& sine : s) sine *= a.sign;
    for (int64_t h = head; h < end; ++h)
      turn_pairs(tensors.row(a, h, token), tensors.out_row(a, h, token), pack * kWidth, a.dim, a.neighbours, c, s);
  }
}

void run(assay::Call& call) {
  const RopeArgs a = rope_args(call.c());
  if (a.tokens == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    const int64_t threads = (a.heads + a.kv_heads + kHeadsOfThread - 1) / kHeadsOfThread * a.tokens * packs_of<T>(a);
    assay::launch(rope_qk<T>, striding(call, threads), rope_tensors<T>(call), a);
  });
}

const assay::RegisterVariant kVariant({.op = "rope_qk",
                                       .name = "pair_packs",
                                       .summary = "16-byte packs; what is read of the tables serves four heads",
                                       .blocks = {32, 33, 64, 96, 128, 192, 256, 512},
                                       .any_grid = true,
                                       .element_at = rope_element_at,
                                       .run = run});

}  // namespace
