// Scratch memory of a variant: guarded and poisoned like an output, so that a kernel that relies on zeroed scratch or
// writes past its end is found.
#pragma once

#include "harness/base/verdict.h"
#include "harness/op/variant.h"
#include "harness/tensor/tensor.h"

namespace assay {

Tensor make_workspace(const Variant& variant, const Case& c);

// Its guards only: the elements are not touched, and take no memory of the host until somebody does.
Tensor make_workspace_guards(const Variant& variant, const Case& c);

// The findings of its guards after a run.
Findings workspace_findings(const Tensor& workspace);

}  // namespace assay
