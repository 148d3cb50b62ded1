// The parts that planted kernels on quantised blocks share: a thread per element or block, one format, f32.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/quantise.cuh"

namespace assay::selftest {

// Format::element(all, b, i) is element i of block b.
template <class Format>
__global__ void dequantize(const uint8_t* q, float* y, int64_t count) {  // q: (count / elements, bytes)  y: (count)
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] = Format::element(q, i / Format::kElements, static_cast<int>(i % Format::kElements));
}

template <class Format>
void run_dequantize(Call& call) {
  const int64_t count = call.dim("rows") * call.dim("K");
  if (count == 0) return;
  launch(dequantize<Format>, device::thread_for_each(call, count), call.in<uint8_t>("q"), call.out<float>("y"), count);
}

// Quantiser::block(x, q) makes one block of Q8_0.
template <class Quantiser>
__global__ void quantize(const float* x, uint8_t* q, int64_t blocks) {  // x: (blocks, 32)  q: (blocks, 34)
  const int64_t b = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b < blocks) Quantiser::block(x + b * device::Q8_0::kElements, q + device::byte_of<device::Q8_0>(b));
}

template <class Quantiser>
void run_quantize(Call& call) {
  const int64_t blocks = call.dim("rows") * call.dim("K") / device::Q8_0::kElements;
  if (blocks == 0) return;
  launch(quantize<Quantiser>, device::thread_for_each(call, blocks), call.in<float>("x"), call.out<uint8_t>("q"),
         blocks);
}

inline RegisterVariant planted_in_format(PlantedKernel kernel, std::string format) {
  kernel.blocks = {32, 64};
  kernel.domains = {{.name = "format", .values = {format}}};
  kernel.unsupported = [format](const Case& c) -> std::optional<std::string> {
    if (c.text("format") == format) return std::nullopt;
    return "takes " + format + " only";
  };
  return planted(std::move(kernel));
}

}  // namespace assay::selftest
