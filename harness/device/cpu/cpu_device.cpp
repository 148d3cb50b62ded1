// The cpu device: binds a case's tensors to a variant and runs it on the SIMT executor.
#include "harness/device/cpu/cpu_device.h"
#include "harness/base/running.h"
#include "harness/device/aliasing.h"
#include "harness/device/cpu/executor_device.h"
#include "harness/device/cpu/executor_findings.h"
#include "harness/device/workspace.h"

namespace assay {
namespace {

class CpuDevice : public ExecutorDevice {
 public:
  std::string name() const override { return "cpu"; }

 private:
  Findings run_with(simt::Options options, const Variant& variant, const Case& c, Tensors& tensors) override {
    Tensor workspace = make_workspace(variant, c);
    std::vector<Call::Buffer> buffers;
    fill_shared_memory(c, tensors);
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      void* const memory = tensor.absent() ? nullptr : tensors[memory_of(c, tensors, i)].data();
      buffers.push_back({tensor.name(), memory, static_cast<int64_t>(tensor.bytes()), tensor.shape()});
    }
    Call call(c, std::move(buffers), workspace.data());
    simt::Context context{options, {}};
    {
      const simt::ContextScope scope(context);
      const Running kernel("");
      variant.run(call);
    }
    Findings findings = findings_of(context.findings);
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
