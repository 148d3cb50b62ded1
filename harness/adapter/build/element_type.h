// The C++ types of tensors' elements in the generated file.
#pragma once

#include <string>
#include <string_view>

#include "harness/adapter/adapter.h"
#include "harness/op/contract.h"

namespace assay {

// The case's element type. Adapters call it T; but a contract may have a dim of that name, which then hides it
// everywhere but in an entry and in sizeof(T).
constexpr const char* kElement = "assay_element";

// The element type in CUDA: "__nv_bfloat16"
std::string_view cpp_type(DType dtype);

// That of a tensor: kElement, or the one that it has whatever the attributes are that the adapter leaves open; "" where
// these decide.
std::string element_type(const TensorSpec& tensor, const Adapter& adapter, const Contract& contract);

}  // namespace assay
