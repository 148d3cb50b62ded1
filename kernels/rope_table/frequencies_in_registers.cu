// One thread per pack of four frequencies, which stay in its registers while it walks down the positions.
//
// Against elementwise: frequencies are read once for each thread instead of once for each angle, a position is divided
// once for four angles, and both tables are written 16 bytes at a time. The price is fewer threads where the table is
// short, and rows of D/2 that is no multiple of four are written element by element.
#include <algorithm>

#include "kernels/device/grid.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kWidth = Pack<float>::kWidth;
constexpr int64_t kPositions = 8;  // of a thread: enough that reading its frequencies costs nothing

// inv_freq: (half)  cosines, sines: (positions, half). Thread (p, q) of the grid writes pack p of the positions q,
// q + lines, …
__global__ void rope_table(const float* inv_freq, float* cosines, float* sines, int64_t positions, int64_t half,
                           int64_t lines, float factor) {
  const int64_t packs = pack_count<float>(half), thread = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread >= packs * lines) return;
  const int64_t first = thread % packs * kWidth;
  const Pack<float> frequencies = load_pack(inv_freq, first, half, is_pack_aligned(inv_freq), 0);
  for (int64_t t = thread / packs; t < positions; t += lines) {
    const float position = static_cast<float>(t) / factor;
    Pack<float> c, s;
    for (int j = 0; j < kWidth; ++j) sincosf(position * frequencies.values[j], &s.values[j], &c.values[j]);
    float *c_row = cosines + t * half, *s_row = sines + t * half;
    store_pack(c_row, first, half, is_pack_aligned(c_row), c);
    store_pack(s_row, first, half, is_pack_aligned(s_row), s);
  }
}

std::optional<std::string> unsupported(const assay::Case& c) {
  const int64_t lines = c.dim("max_seq") / kPositions, packs = pack_count<float>(c.dim("D") / 2);
  if (lines * packs <= INT32_MAX) return std::nullopt;
  return "more threads than the 2^31 - 1 blocks of a grid have at least";
}

void run(assay::Call& call) {
  const int64_t positions = call.dim("max_seq"), half = call.dim("D") / 2;
  if (positions == 0) return;
  const int64_t packs = pack_count<float>(half), lines = std::max<int64_t>(positions / kPositions, 1);
  assay::launch(rope_table, thread_for_each(call, packs * lines), call.in<float>("inv_freq"), call.out<float>("cos"),
                call.out<float>("sin"), positions, half, lines, call.real("factor"));
}

const assay::RegisterVariant kVariant({.op = "rope_table",
                                       .name = "frequencies_in_registers",
                                       .summary = "a thread per four frequencies and many positions, 16-byte stores",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {1, 32, 33, 64, 100, 128, 192, 256, 512, 1000, 1024},
                                       .unsupported = unsupported,
                                       .run = run});

}  // namespace
