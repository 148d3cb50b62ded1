// A thread per element: the variant to read first. It reads the element before it writes, so da may be dout.
#include "harness/op/variant.h"

namespace {

template <class T>
__global__ void residual_add_backward(const T* dout, T* da, T* db, int64_t count) {  // dout, da, db: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const T gradient = dout[i];
  da[i] = gradient;
  db[i] = gradient;
}

std::optional<std::string> too_many_elements(const assay::Case& c) {
  if (c.dim("T") * c.dim("aE") > int64_t{INT32_MAX} * *c.block) return "a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(residual_add_backward<T>,
                  {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())}, call.in<T>("dout"),
                  call.out<T>("da"), call.out<T>("db"), count);
  });
}

const assay::RegisterVariant kVariant({.op = "residual_add_backward",
                                       .name = "elementwise",
                                       .summary = "a thread per element",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = too_many_elements,
                                       .run = run});

}  // namespace
