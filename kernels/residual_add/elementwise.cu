// A thread per element: the variant to read first. It reads both elements before it writes, so out may be a.
#include "harness/op/variant.h"

namespace {

template <class T>
__global__ void residual_add(const T* a, const T* b, T* out, int64_t count) {  // a, b, out: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < count) out[i] = static_cast<T>(static_cast<float>(a[i]) + static_cast<float>(b[i]));
}

std::optional<std::string> too_many_elements(const assay::Case& c) {
  if (c.dim("T") * c.dim("aE") > int64_t{INT32_MAX} * *c.block) return "a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(residual_add<T>, {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())},
                  call.in<T>("a"), call.in<T>("b"), call.out<T>("out"), count);
  });
}

const assay::RegisterVariant kVariant({.op = "residual_add",
                                       .name = "elementwise",
                                       .summary = "a thread per element",
                                       .blocks = {32, 33, 64, 100, 128, 256, 512, 1024},
                                       .unsupported = too_many_elements,
                                       .run = run});

}  // namespace
