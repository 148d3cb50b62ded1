// The cpu device: binds a case's tensors to a variant and runs it on the SIMT executor.
#include "harness/device/cpu/cpu_device.h"

#include <csetjmp>

#include "harness/base/running.h"
#include "harness/device/aliasing.h"
#include "harness/device/cpu/executor_device.h"
#include "harness/device/cpu/executor_findings.h"
#include "harness/device/cpu/sampled_run.h"
#include "harness/device/workspace.h"

namespace assay {
namespace {

class CpuDevice : public ExecutorDevice {
 public:
  std::string name() const override { return "cpu"; }

  std::optional<Findings> run_sampled(const Variant& variant, const Case& c, std::vector<VirtualTensor>& tensors,
                                      simt::BlockSample& sample) override {
    std::vector<VirtualTensor*> on_demand;
    std::vector<Call::Buffer> buffers;
    for (VirtualTensor& tensor : tensors) {
      const Tensor& base = tensor.base();
      const auto bytes = tensor.count() * static_cast<int64_t>(size_of(base.dtype()));
      buffers.push_back({base.name(), base.absent() ? nullptr : tensor.data(), bytes, tensor.shape()});
      on_demand.push_back(&tensor);
    }
    Tensor scratch("workspace", DType::u32, Role::output, {1024});
    scratch.poison(Poison::first);
    const int64_t workspace_bytes = variant.workspace_bytes ? variant.workspace_bytes(c) : 0;
    auto workspace = VirtualTensor::reserve(scratch, {(workspace_bytes + 3) / 4});
    if (!workspace) return Findings{{Kind::skipped, workspace.error().line()}};
    on_demand.push_back(&*workspace);
    const TouchedOnDemand touched(on_demand);
    if (sigsetjmp(*touched.host_code(), 1) != 0) return Findings{{Kind::skipped, touched.why_stopped()}};
    return run_call({.schedule = c.schedule, .approximation = c.schedule, .sample = &sample}, variant,
                    Call(c, std::move(buffers), workspace->data()));
  }

 private:
  static Findings run_call(const simt::Options& options, const Variant& variant, Call call) {
    simt::Context context{options, {}};
    {
      const simt::ContextScope scope(context);
      const Running kernel("");
      variant.run(call);
    }
    return findings_of(context.findings);
  }

  Findings run_with(simt::Options options, const Variant& variant, const Case& c, Tensors& tensors) override {
    Tensor workspace = make_workspace(variant, c);
    std::vector<Call::Buffer> buffers;
    fill_shared_memory(c, tensors);
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      void* const memory = tensor.absent() ? nullptr : tensors[memory_of(c, tensors, i)].data();
      buffers.push_back({tensor.name(), memory, static_cast<int64_t>(tensor.bytes()), tensor.shape()});
    }
    Findings findings = run_call(options, variant, Call(c, std::move(buffers), workspace.data()));
    findings += workspace_findings(workspace);
    return findings;
  }
};

}  // namespace

Result<std::unique_ptr<Device>> make_cpu_device() {
  if (!simt::reserve_stacks())
    return fail("it needs 260 MB of address space for the stacks of a block", "raise the limit (ulimit -v)");
  return std::make_unique<CpuDevice>();
}

}  // namespace assay
