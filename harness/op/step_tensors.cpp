// Copies between a composite's tensors and those of its steps.
#include "harness/op/step_tensors.h"

#include <cstring>

#include "harness/base/check.h"
#include "harness/op/composite.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

// Elements of an output that the op keeps are those that were there; in a new tensor NaN, so that nobody takes them for
// results.
void fill_kept(const Tensor* before, Tensor& tensor) {
  for (const Regions::Run& run : tensor.regions().runs())
    for (int64_t i = run.begin; run.region == Region::kept && i < run.end; ++i)
      tensor.set_bits(i, before ? before->bits(i) : ~uint64_t{0});
}

}  // namespace

Tensors StepTensors::given_to(const Step& step, const Case& inner) const {
  Tensors tensors;
  for (const TensorSpec& spec : find_op(step.op)->tensors) {
    const Role role = role_of(spec, inner);
    Tensor tensor(spec.name, dtype_of(spec, inner), role, shape_of(spec, inner), offset_bytes(spec, inner));
    const Tensor* const now = find(name_in_whole(step, spec.name));
    const auto is_alike = [&] { return now && now->dtype() == tensor.dtype() && now->count() == tensor.count(); };
    if (spec.absent && spec.absent(inner)) {
      tensor.set_absent();
    } else if (role == Role::output) {
      tensor.set_regions(regions_of(spec, inner));
      tensor.poison(Poison::first);
      fill_kept(is_alike() ? now : nullptr, tensor);
    } else if (tensor.count() > 0) {
      ASSAY_CHECK(is_alike(), "step '" + step.name + "' is given no '" + spec.name + "' of its dtype and size");
      tensor.set_regions(regions_of(spec, inner));
      std::memcpy(tensor.data(), now->data(), tensor.bytes());
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void StepTensors::made_by(const Step& step, Tensors&& got) {
  for (Tensor& tensor : got)
    if (is_written(tensor.role()) && !tensor.absent())
      made_.insert_or_assign(name_in_whole(step, tensor.name()), std::move(tensor));
}

const Tensor* StepTensors::find(const std::string& name) const {
  if (const auto made = made_.find(name); made != made_.end()) return &made->second;
  for (const Tensor& tensor : whole_)
    if (tensor.name() == name) return &tensor;
  return nullptr;
}

}  // namespace assay
