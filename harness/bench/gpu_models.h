// The peak rates of some GPUs by their makers' own figures, for bounds without such a GPU (counted_bound.h).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/simt/checked/instruction_counts.h"

namespace assay {

struct GpuModel {
  std::string_view option;  // as --bound-on has it: "h100"
  std::string_view name;    // "H100 SXM"
  int multiprocessors = 0;
  double mhz = 0;  // the highest clock of its multiprocessors that its datasheet has
  double dram_bytes_per_s = 0;
  // The work of one multiprocessor in a clock: instructions of threads for each class of instructions, operations (a
  // product and its sum are two) for each type of tensor instructions. 0: no figure, and no bound.
  std::array<double, kCounted> per_clock{};
  double warps_issued_per_clock = 4;  // a multiprocessor has four schedulers, each for one instruction of a warp
};

inline constexpr const char* kDefaultGpuModel = "h100";

const std::vector<GpuModel>& gpu_models();
const GpuModel& gpu_model(std::string_view option);  // aborts for an unknown one
std::vector<std::string> gpu_model_options();

}  // namespace assay
