// Scratch memory of a variant.
#include "harness/device/workspace.h"

#include <fmt/format.h>

namespace assay {

Tensor make_workspace_guards(const Variant& variant, const Case& c) {
  const int64_t bytes = variant.workspace_bytes ? variant.workspace_bytes(c) : 0;
  return Tensor("workspace", DType::u32, Role::output, {(bytes + 3) / 4});
}

Tensor make_workspace(const Variant& variant, const Case& c) {
  Tensor workspace = make_workspace_guards(variant, c);
  workspace.poison(Poison::first);
  return workspace;
}

Findings workspace_findings(const Tensor& workspace) {
  const int64_t at = workspace.guard_broken_at();
  if (at == 0) return {};
  return {{Kind::guard_broken,
           fmt::format("memory of the workspace was written outside its {} bytes, at byte {}", workspace.bytes(), at),
           workspace.name()}};
}

}  // namespace assay
