// What bounds every kernel on this GPU: measured in the run itself, through the same timer as the kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/case/case.h"
#include "harness/device/cuda/gpu_info.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/device/timing.h"
#include "harness/op/contract.h"

namespace assay {

using Roofs = std::vector<Roof>;

struct MeasureOptions;  // measure.h

struct MeasuredRoofs {
  Roofs roofs;                 // "copy" in TB/s first, then the registered products (gemm_roof.h) in TFLOP/s
  std::vector<Error> missing;  // why a roof could not be measured; each names it
};

// The copy is of 1 GiB (less where memory is short) within the GPU, bytes read and bytes written both counted.
MeasuredRoofs measure_roofs(GpuRuntime& runtime, GpuTimer& timer, const MeasureOptions& options);

// What the mathematics of a case costs, whatever the kernel.
struct Cost {
  double bytes_read = 0;     // every input once; accumulated and in-place tensors too
  double bytes_written = 0;  // every output once; likewise
  double flops = 0;          // of the contract; 0: it does not say
  DType dtype = DType::f32;
};

Cost cost_of(const Contract& contract, const Case& c);

struct Bound {
  std::string roof;    // "copy 4.31 TB/s", as Timing.roof has it; empty: no roof applies
  double time_us = 0;  // below it, a kernel beats the roof
};

// The roof that takes longest: bytes over the copy's rate, or operations over the rate of the product in the case's
// dtype (that of bf16 for f16, where f16 has none).
Bound bound_of(const Cost& cost, const Roofs& roofs);

// Why a median is impossible on this GPU, if it is: the work was not done, or not measured.
//
// Memory: at the physical bandwidth, the time of the bytes that no cache can save. A cold run finds no input in L2; a
// warm one at most l2_bytes of them; either may leave l2_bytes of its outputs there. Arithmetic: at the physical rate;
// where that is unknown, at 1.5 times the measured one, because a library's product reaches more than two thirds of
// what the hardware can (on an H200 790 of 989 TFLOP/s in bf16, 47 of 67 in f32).
std::optional<std::string> impossible(double median_us, const Cost& cost, const Roofs& roofs, double l2_bytes,
                                      bool cold);

}  // namespace assay
