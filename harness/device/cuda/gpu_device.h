// The gpu device: gives a variant a case's tensors in a GPU's memory, each between its guard zones, and copies
// everything back, guards too, so that the judge sees what it sees after a run on the CPU.
#pragma once

#include <memory>

#include "harness/base/verdict.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/stream.h"
#include "harness/device/device.h"

namespace assay {

inline constexpr const char* kGpuDevice = "gpu";

struct GpuDeviceOptions {
  // Every tensor in an allocation of exactly its size, without guards, and outputs and workspace left as they were
  // allocated: what compute-sanitizer needs to see an access past the end and a read of what nobody wrote.
  bool for_sanitizer = false;
};

std::unique_ptr<Device> make_gpu_device(std::unique_ptr<GpuRuntime> runtime, GpuDeviceOptions options = {});

// The verdict on a case after a refusal: CRASH, UNSUPPORTED or SKIPPED.
Kind verdict_of(Refusal refusal);

// The GPU that this process shall use: ASSAY_GPU when it is set (`--gpu N`), else one for each worker in turn
// (ASSAY_WORKER).
Result<int> chosen_gpu();

Result<std::unique_ptr<GpuRuntime>> open_chosen_gpu();

// It, as a device. Under a sanitizer (ASSAY_UNDER) for_sanitizer is on.
Result<std::unique_ptr<Device>> open_gpu_device();
std::optional<Error> why_no_gpu_device();  // what open_gpu_device() would fail with, as far as is known without trying

}  // namespace assay
