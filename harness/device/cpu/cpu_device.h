// The device `cpu`: variants of the fast build on the SIMT executor.
#pragma once

#include <memory>

#include "harness/device/device.h"

namespace assay {

std::unique_ptr<Device> make_cpu_device();

}  // namespace assay
