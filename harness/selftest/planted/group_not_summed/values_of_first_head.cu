// EXPECT: MISMATCH PROPERTY. dx has of the values the first head only.
// SMALLEST: H=2 HK=2 ad=1 aE=1 T=1 biases=none dw=overwrite block=32
// TWIN: dx has all heads of q, k and v.
#include "harness/op/variant.h"

namespace {

struct Projection {
  const float *dy, *w;  // (heads, tokens, lanes), (heads, lanes, ins)
  float *dw, *db;       // (heads, lanes, ins), and (heads, lanes) or null
  int64_t heads;
};

struct Sizes {
  int64_t tokens, lanes, ins;
  bool accumulates;
};

// A thread for each element of dx (tokens, ins).
__global__ void make_dx(Projection q, Projection k, Projection v, float* dx, Sizes size) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size.tokens * size.ins) return;
  const int64_t t = i / size.ins, e = i % size.ins;
  float sum = 0;
  const auto add = [&](const Projection& p) {
    for (int64_t h = 0; h < p.heads; ++h)
      for (int64_t d = 0; d < size.lanes; ++d)
        sum += p.dy[(h * size.tokens + t) * size.lanes + d] * p.w[(h * size.lanes + d) * size.ins + e];
  };
  add(q);
  add(k);
#if ASSAY_PLANTED
  Projection first = v;
  first.heads = 1;
  add(first);
#else
  add(v);
#endif
  dx[i] = sum;
}

// A thread for each element of dW (heads, lanes, ins), which also sums db where it has the first of a row.
__global__ void make_dw(Projection p, const float* x, Sizes size) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= p.heads * size.lanes * size.ins) return;
  const int64_t row = i / size.ins, e = i % size.ins, h = row / size.lanes, d = row % size.lanes;
  const bool sums_bias = e == 0 && p.db != nullptr;
  float sum = size.accumulates ? p.dw[i] : 0, bias = sums_bias && size.accumulates ? p.db[row] : 0;
  for (int64_t t = 0; t < size.tokens; ++t) {
    const float gradient = p.dy[(h * size.tokens + t) * size.lanes + d];
    sum += gradient * x[t * size.ins + e];
    bias += gradient;
  }
  p.dw[i] = sum;
  if (sums_bias) p.db[row] = bias;
}

void run(assay::Call& call) {
  const Sizes size{call.dim("T"), call.dim("ad"), call.dim("aE"), call.text("dw") == "accumulate"};
  const auto projection = [&](const char* dy, const char* w, const char* dw, const char* db, const char* heads) {
    return Projection{call.in<float>(dy), call.in<float>(w), call.out<float>(dw), call.out<float>(db), call.dim(heads)};
  };
  const Projection q = projection("dq", "wq", "dwq", "dbq", "H"), k = projection("dk", "wk", "dwk", "dbk", "HK"),
                   v = projection("dv", "wv", "dwv", "dbv", "HK");
  const auto launch = [&](auto kernel, int64_t threads, auto... args) {
    assay::launch(kernel, {.grid = dim3(assay::ceil_div(threads, call.block())), .block = dim3(call.block())}, args...);
  };
  if (size.tokens > 0) launch(make_dx, size.tokens * size.ins, q, k, v, call.out<float>("dx"), size);
  for (const Projection& p : {q, k, v}) launch(make_dw, p.heads * size.lanes * size.ins, p, call.in<float>("x"), size);
}

const assay::RegisterVariant kVariant({.op = "qkv_project_backward",
                                       .name = ASSAY_PLANTED ? "values_of_first_head" : "values_of_all_heads",
                                       .summary = ASSAY_PLANTED ? "leaves the other heads of v out of dx"
                                                                : "sums dx over all heads",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 128},
                                       .run = run});

}  // namespace
