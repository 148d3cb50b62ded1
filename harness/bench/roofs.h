// The bounds of every kernel on this GPU: measured in the run itself, through the same timer as the kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/bench/measure_options.h"
#include "harness/case/case.h"
#include "harness/device/cuda/gpu_info.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/device/timing.h"
#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

using Roofs = std::vector<Roof>;

inline constexpr double kTera = 1e12, kUsPerS = 1e6;

// Names of the memory's roofs.
inline constexpr const char* kCopy = "copy";
inline constexpr const char* kRead = "read";
inline constexpr const char* kWrite = "write";

struct MeasuredRoofs {
  // "copy", "read" and "write" are in TB/s, the registered products (gemm_roof.h) in TFLOP/s; "empty region", the time
  // of a timed region without its runs, is in us.
  Roofs roofs;
  std::vector<Error> missing;  // why a roof could not be measured; each names it
};

// Memory's roofs are of 1 GiB within the GPU; of a copy, bytes read and bytes written both count. Every run is cold.
MeasuredRoofs measure_roofs(GpuRuntime& runtime, GpuTimer& timer, const MeasureOptions& options);

// The cost of a case, whatever the kernel.
struct Cost {
  double bytes = 0;          // compulsory_bytes (contract.h)
  double bytes_written = 0;  // of those
  // Those of them that no kernel gets around. It need not touch elements of an accumulated tensor to which it adds
  // nothing, nor write elements that stay in one that is changed in place.
  double bytes_read_least = 0;
  double bytes_written_least = 0;
  double flops = 0;  // of the contract; 0: unknown
  DType dtype = DType::f32;
  bool reduced = false;  // the variant declares that it computes f32 less precisely, as tensor cores do (tf32)
};

Cost cost_of(const Contract& contract, const Variant& variant, const Case& c);

struct Bound {
  std::string roof;    // "copy 4.31 TB/s", as Timing.roof has it; empty: no roof applies
  double time_us = 0;  // below it, a kernel beats the roof
};

// The roof that takes longest: bytes over the copy's rate (over that of reading or writing, where less than a tenth of
// them is written, or more than nine), or operations over the rate of the product in the case's
// dtype ("f32 GEMM"; bf16's for f16, where f16 has none; "tf32 GEMM" for f32 that is reduced).
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
