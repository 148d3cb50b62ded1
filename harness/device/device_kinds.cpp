// The devices that the program knows.
#include "harness/base/check.h"
#include "harness/device/cpu/cpu_device.h"
#include "harness/device/cuda/gpu_device.h"

namespace assay {

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> kinds = {
    {"cpu", "the SIMT executor; needs no GPU", make_cpu_device},
#if defined(__x86_64__)
    {kCheckedDevice, "the same with every access checked: races, bounds, initialisation, alignment",
     make_checked_cpu_device, why_no_checked_cpu_device},
#endif
    {kGpuDevice, "an NVIDIA GPU, with the kernels that nvcc compiled and the vendor's libraries", open_gpu_device,
     why_no_gpu_device},
  };
  return kinds;
}

const DeviceKind* find_device(const std::string& name) {
  for (const DeviceKind& kind : device_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

Result<std::unique_ptr<Device>> make_device(const std::string& name) {
  const DeviceKind* kind = find_device(name);
  ASSAY_CHECK(kind, "no device is named '" + name + "'");
  return kind->make();
}

}  // namespace assay
