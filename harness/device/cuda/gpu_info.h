// The facts about a GPU that are known before anything runs on it.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

struct GpuInfo {
  int index = 0;     // among the GPUs that this process sees
  std::string name;  // "NVIDIA H200"
  std::string uuid;
  int capability = 0;   // 90 for compute capability 9.0
  std::string driver;   // the driver's CUDA version, "13.0"
  std::string runtime;  // of the CUDA runtime in this program
  int multiprocessors = 0;
  int64_t memory_bytes = 0;
  int64_t l2_bytes = 0;
  double sm_mhz = 0;              // the default clock of its multiprocessors
  double memory_bytes_per_s = 0;  // the datasheet's bandwidth: memory clock × bus width; 0: unknown
};

}  // namespace assay
