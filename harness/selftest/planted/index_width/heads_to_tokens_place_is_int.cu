// EXPECT: OUT_OF_BOUNDS. The place of an element of the input is an int, and negative from 2^31 elements on.
// SMALLEST: block=32
// SUITE: huge
// TWIN: It has 64 bits.
#include "harness/selftest/planted_kernel.cuh"

using Index = std::conditional_t<ASSAY_PLANTED, int, int64_t>;

// in: (heads, tokens, lanes)  out: (tokens, heads, lanes)
__global__ void move(const float* in, float* out, int64_t heads, int64_t tokens, int64_t lanes) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= heads * tokens * lanes) return;
  const int64_t t = i / (heads * lanes), h = i / lanes % heads;
  const Index place = static_cast<Index>((h * tokens + t) * lanes + i % lanes);
  out[i] = in[place];
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("H"), tokens = call.dim("T"), lanes = call.dim("ad");
  if (tokens == 0) return;
  assay::launch(move, assay::device::thread_for_each(call, heads * tokens * lanes), call.in<float>("in"),
                call.out<float>("out"), heads, tokens, lanes);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "heads_to_tokens", .name = ASSAY_PLANTED ? "place_is_int" : "place_is_long", .run = run});
