// The devices that this build has.
#include "harness/device/cpu/cpu_device.h"

namespace assay {

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> kinds = {
    {"cpu", "the SIMT executor; always there", make_cpu_device},
#if defined(__x86_64__)
    {kCheckedDevice, "the same with every access checked: races, bounds, initialisation, alignment",
     make_checked_cpu_device},
#endif
  };
  return kinds;
}

std::unique_ptr<Device> make_device(const std::string& name) {
  for (const DeviceKind& kind : device_kinds())
    if (kind.name == name) return kind.make();
  return nullptr;
}

}  // namespace assay
