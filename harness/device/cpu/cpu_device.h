// The devices of the SIMT executor: `cpu` runs variants of the fast build, `cpu-checked` those of the checked one.
#pragma once

#include <memory>

#include "harness/device/device.h"

namespace assay {

std::unique_ptr<Device> make_cpu_device();
std::unique_ptr<Device> make_checked_cpu_device();

}  // namespace assay
