// The common part of the SIMT executor's devices: the options of a run, however its tensors are bound.
#pragma once

#include "harness/base/check.h"
#include "harness/device/device.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/debugger.h"
#include "harness/simt/runtime/executor.h"

namespace assay {

// Approximate functions err by the case's schedule, not by that of the run: a GPU's give the same again in another run,
// and properties compare runs.
class ExecutorDevice : public Device {
 public:
  ExecutorDevice() { simt::set_check_handler(check_failed); }  // which prints the case

  Findings run(const Variant& variant, const Case& c, Tensors& tensors, uint64_t schedule) override {
    return run_with({.schedule = schedule, .approximation = c.schedule}, variant, c, tensors);
  }

  std::string first_nonfinite(const Variant& variant, const Case& c, Tensors& tensors, uint64_t schedule) override {
    if (debugger_attached()) return "";  // the traps would be the debugger's
    std::string said;
    run_with({.schedule = schedule, .approximation = c.schedule, .first_nonfinite = &said}, variant, c, tensors);
    return said;
  }

 protected:
  // Binds the tensors, and runs the variant with `options` and what this device adds to them.
  virtual Findings run_with(simt::Options options, const Variant& variant, const Case& c, Tensors& tensors) = 0;
};

}  // namespace assay
