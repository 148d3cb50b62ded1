// EXPECT: MISMATCH OUT_OF_BOUNDS. A row's offset in bytes has 32 bits, and wraps from 2^30 elements on.
// SMALLEST: pos=none block=32
// SUITE: huge
// TWIN: It has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Offset = std::conditional_t<ASSAY_PLANTED, uint32_t, int64_t>;

// ids: (gridDim.x)  w: (vocab, dim)  y: (gridDim.x, dim)
__global__ void embed(const uint32_t* ids, const float* w, float* y, int64_t vocab, int64_t dim) {
  const int64_t id = ids[blockIdx.x];
  const Offset bytes = static_cast<Offset>(blockIdx.x) * static_cast<Offset>(dim) * Offset{sizeof(float)};
  float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(y) + bytes);
  for (int64_t d = threadIdx.x; d < dim; d += blockDim.x) row[d] = id < vocab ? w[id * dim + d] : 0;
}

void run(assay::Call& call) {
  if (call.dim("S") == 0 || call.dim("dim") == 0) return;
  assay::launch(embed, assay::device::block_for_each(call, call.dim("S")), call.in<uint32_t>("ids"),
                call.in<float>("w"), call.out<float>("y"), call.dim("vocab"), call.dim("dim"));
}

std::optional<std::string> with_positions(const assay::Case& c) {
  if (c.text("pos") == "none") return std::nullopt;
  return "it adds no positions";
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "embedding_forward",
                              .name = ASSAY_PLANTED ? "offset_in_32_bits" : "offset_in_64_bits",
                              .unsupported = with_positions,
                              .run = run});
