// EXPECT: CRASH NONFINITE OUT_OF_BOUNDS. An id that is negative as an int is less than any number of rows, and read.
// SMALLEST: S=1 dim=1 vocab=0 block=32
// BUGS: 2 because a stray read crashes or finds something; the checked build says that it strays
// TWIN: An id beyond the last row is read by nobody, however large.
#include "harness/selftest/planted_kernel.cuh"

// ids: (tokens)  w: (vocab, dim)  pos: (positions, dim), or null  y: (tokens, dim)
__global__ void embedding(const uint32_t* ids, const float* w, const float* pos, float* y, int64_t tokens,
                          int64_t positions, int64_t dim, int64_t vocab) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= tokens * dim) return;
  const int64_t token = i / dim, d = i % dim;
  const int64_t id = ASSAY_PLANTED ? int64_t{static_cast<int32_t>(ids[token])} : int64_t{ids[token]};
  y[i] = id < vocab ? w[id * dim + d] + (pos ? pos[token % positions * dim + d] : 0) : 0;
}

void run(assay::Call& call) {
  const int64_t tokens = call.dim("S"), dim = call.dim("dim");
  if (tokens * dim == 0) return;
  assay::launch(embedding, assay::device::thread_for_each(call, tokens * dim), call.in<uint32_t>("ids"),
                call.in<float>("w"), call.in<float>("pos"), call.out<float>("y"), tokens, call.dim("T"), dim,
                call.dim("vocab"));
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "embedding_forward", .name = ASSAY_PLANTED ? "id_as_int" : "id_as_unsigned", .run = run});
