// The cpu device: binds a case's tensors to a variant and runs it on the SIMT executor.
#include <fmt/format.h>

#include "harness/device/cpu/cpu_device.h"
#include "harness/device/cpu/executor_device.h"

namespace assay {
namespace {

// Scratch memory of a variant: guarded and poisoned like an output, so that a kernel which relies on zeroed scratch or
// writes past its end is found.
Tensor make_workspace(const Variant& variant, const Case& c) {
  const int64_t bytes = variant.workspace_bytes ? variant.workspace_bytes(c) : 0;
  Tensor workspace("workspace", DType::u32, Role::output, {(bytes + 3) / 4});
  workspace.poison(Poison::first);
  return workspace;
}

class CpuDevice : public ExecutorDevice {
 public:
  std::string name() const override { return "cpu"; }

 private:
  Findings run_with(simt::Options options, const Variant& variant, const Case& c, Tensors& tensors) override {
    Tensor workspace = make_workspace(variant, c);
    std::vector<Call::Buffer> buffers;
    for (Tensor& tensor : tensors)
      buffers.push_back({tensor.name(), tensor.data(), static_cast<int64_t>(tensor.bytes())});
    Call call(c, std::move(buffers), workspace.data());
    simt::Context context{options, {}};
    {
      const simt::ContextScope scope(context);
      variant.run(call);
    }
    if (const int64_t at = workspace.guard_broken_at(); at != 0)
      context.findings.push_back(
          {Kind::guard_broken,
           fmt::format("memory of the workspace was written outside its {} bytes, at byte {}", workspace.bytes(), at)});
    return std::move(context.findings);
  }
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace assay
