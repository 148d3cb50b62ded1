// The devices of the SIMT executor: `cpu` runs variants of the fast build, `cpu-checked` those of the checked one.
#pragma once

#include <memory>

#include "harness/device/device.h"

namespace assay {

// Errors: what they need, where the process may not have it.
Result<std::unique_ptr<Device>> make_cpu_device();
Result<std::unique_ptr<Device>> make_checked_cpu_device();
std::optional<Error> why_no_checked_cpu_device();

}  // namespace assay
