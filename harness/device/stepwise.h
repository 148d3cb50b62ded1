// A device that runs variants of composites too, one step after the other on another device.
#pragma once

#include "harness/device/device.h"
#include "harness/op/composite.h"

namespace assay {

class StepwiseDevice : public Device {
 public:
  explicit StepwiseDevice(Device& device) : device_(device) {}

  std::string name() const override { return device_.name(); }
  bool usable() const override { return device_.usable(); }

  Findings run(const Variant& variant, const Case& c, Tensors& tensors, uint64_t schedule) override {
    if (variant.steps.empty()) return device_.run(variant, c, tensors, schedule);
    return run_steps(variant, c, tensors, [&](const StepTask& task, Tensors& of_step) {
      return device_.run(task.variant, task.c, of_step, schedule);
    });
  }

  // The statistics of all steps: a kernel that several of them launch is there once for each.
  std::optional<AccessStatistics> statistics(const Variant& variant, const Case& c, Tensors& tensors,
                                             uint64_t schedule) override {
    if (variant.steps.empty()) return device_.statistics(variant, c, tensors, schedule);
    AccessStatistics all;
    bool counted = false;
    run_steps(variant, c, tensors, [&](const StepTask& task, Tensors& of_step) -> Findings {
      auto step = device_.statistics(task.variant, task.c, of_step, schedule);
      if (!step) return {{Kind::skipped, "its device counts nothing"}};
      counted = true;
      all.kernels.insert(all.kernels.end(), step->kernels.begin(), step->kernels.end());
      if (all.incomplete.empty()) all.incomplete = step->incomplete;
      return {};
    });
    return counted ? std::optional(all) : std::nullopt;
  }

 private:
  Device& device_;
};

}  // namespace assay
