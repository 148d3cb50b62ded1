// Infers in which element types of the op a kernel computes, from its parameters' types and its instances.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/bind/match.h"
#include "harness/adapter/read/kernel_source.h"
#include "harness/op/contract.h"

namespace assay {

struct ElementDTypes {
  std::vector<DType> possible;
  std::vector<std::string> guesses = {}, unknown = {}, remarks = {};  // sentences
  bool is_open = false;    // nothing says which of them: they are to be tried
  bool is_unmade = false;  // a template's, of which the file makes no instance in any of them
};

// Those of `dtypes` that the kernel's parameters admit, where their tensors are of the case's dtype.
ElementDTypes element_dtypes(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches,
                             const Contract& contract, std::vector<DType> dtypes,
                             const std::vector<std::string>& template_arguments = {});

// The type that a template parameter stands for: "T", the case's elements, or the type of what it is used for; "" where
// no parameter has it.
std::string type_argument(const KernelSource& kernel, const std::vector<Match>& matches, const std::string& name);

}  // namespace assay
