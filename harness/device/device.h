// A device runs variants: `cpu` is the SIMT executor, `cpu-checked` the same with every access checked, `gpu` a real
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/verdict.h"
#include "harness/op/contract.h"
#include "harness/op/variant.h"
#include "harness/simt/checked/access_statistics.h"

namespace assay {

class VirtualTensor;

namespace simt {
class BlockSample;
}

// The checks that a checked device makes beyond those that it always makes.
struct Watching {
  bool strict_barriers = false;  // a barrier that some threads never come to because they have returned: a finding
  bool hints = false;            // what fails nothing and is worth a thought (take_hints())

  bool operator==(const Watching&) const = default;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;

  // False once an error has made every further run in this process impossible.
  virtual bool usable() const { return true; }

  // Runs `variant` on `tensors` in place, under the executor's `schedule`. An error while it runs (a divergent barrier,
  // an invalid launch, a trap) comes back as findings; a crash or a hang takes the process with it, which is why cases
  // run in worker processes.
  virtual Findings run(const Variant& variant, const Case& c, Tensors& tensors, uint64_t schedule) = 0;

  // Whether run() takes cases of more elements than a host's memory holds (harness/op/huge.h).
  virtual bool takes_huge() const { return false; }

  // Runs the blocks of `sample` alone, on these tensors in the contract's order; nothing when this device cannot.
  virtual std::optional<Findings> run_sampled(const Variant&, const Case&, std::vector<VirtualTensor>&,
                                              simt::BlockSample&) {
    return {};
  }

  // Makes these checks from here on. A device that checks nothing finds nothing more.
  virtual void watch(const Watching&) {}
  virtual std::vector<std::string> take_hints() { return {}; }  // of the runs since the last call

  // Runs `variant` in the same way and says which line, block and thread made the first NaN or infinity; "" when none
  // did, or when this device cannot tell.
  virtual std::string first_nonfinite(const Variant&, const Case&, Tensors&, uint64_t) { return ""; }

  // Runs `variant` in the same way and counts what it does to memory; nothing when this device cannot. The compulsory
  // bytes are left to the caller.
  virtual std::optional<AccessStatistics> statistics(const Variant&, const Case&, Tensors&, uint64_t) { return {}; }
};

inline constexpr const char* kCheckedDevice = "cpu-checked";

struct DeviceKind {
  std::string name;   // as --device and result rows have it
  std::string about;  // a sentence for `assay list devices`
  std::function<Result<std::unique_ptr<Device>>()> make;
  std::function<std::optional<Error>()> missing = [] { return std::nullopt; };  // why it cannot run here
};

// The devices that the program knows, whether this machine has them or not.
const std::vector<DeviceKind>& device_kinds();
const DeviceKind* find_device(const std::string& name);  // nullptr: no such device
// Aborts for an unknown name; an error when this machine does not have the device.
Result<std::unique_ptr<Device>> make_device(const std::string& name);

}  // namespace assay
