// A device runs variants: `cpu` is the SIMT executor, `cpu-checked` the same with every access checked, `gpu` a real
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/verdict.h"
#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;

  // Runs `variant` on `tensors` in place, under the executor's `schedule`. What goes wrong while it runs (a divergent
  // barrier, an invalid launch, a trap) comes back as findings; a crash or a hang takes the process with it, which is
  // why cases run in worker processes.
  virtual Findings run(const Variant& variant, const Case& c, Tensors& tensors, uint64_t schedule) = 0;
};

struct CpuOptions {
  int threads = 1;  // OS threads that share the blocks of a launch; 1 is fully deterministic
};

std::unique_ptr<Device> make_cpu_device(const CpuOptions& options = {});
std::unique_ptr<Device> make_checked_cpu_device();

// The device of that name; nullptr when this build has none.
std::unique_ptr<Device> make_device(std::string_view name);

}  // namespace assay
