// The plans that a library prepared for a shape, kept so that a second run of it neither allocates nor waits: it can be
// captured.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "harness/case/case.h"
#include "harness/device/cuda/stream.h"

namespace assay::vendor {

// Dtype, dims and attributes of a case, which is all that a plan may depend on.
inline std::string shape_of(const Case& c) {
  Case shape;
  shape.op = c.op;
  shape.dtype = c.dtype;
  shape.params = c.params;
  return print(shape);
}

// The plans of one variant, for one thread. A few are kept: those of a case, and of the changed cases that its
// properties run. More would fill the GPU with workspaces of shapes that do not come again.
//
// Caches live as long as the process: when it ends, the CUDA runtime may end before they do.
template <class Plan, class Shape = std::string, size_t plans_max = 3>
class PlanCache {
 public:
  template <class Make>
  Plan* get(const Case& c, Make make) {
    return get(shape_of(c), make);
  }

  // The plan of a shape; make(), a Result<Plan>, is called for a new one. Null when there is none: the library's reason
  // is remembered, and the case is UNSUPPORTED (SKIPPED where allocate_scratch has no memory for it).
  template <class Make>
  Plan* get(const Shape& shape, Make make) {
    for (auto& [known, plan] : plans_)
      if (known == shape) return plan.get();
    auto made = make();
    if (!made) {
      note_refusal(assay::Refusal::no_plan, made.error().line());
      return nullptr;
    }
    if (plans_.size() == plans_max) plans_.pop_front();
    return plans_.emplace_back(shape, std::make_unique<Plan>(std::move(*made))).second.get();
  }

 private:
  std::deque<std::pair<Shape, std::unique_ptr<Plan>>> plans_;
};

}  // namespace assay::vendor
