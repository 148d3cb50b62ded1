// Names of tensors, for the host part of variants.
#pragma once

#include <string>
#include <string_view>

namespace assay::device {

// Whether the tensor is one of those in `names`, as "q k v".
inline bool is_one_of(std::string_view tensor, const std::string& names) {
  return (" " + names + " ").find(" " + std::string(tensor) + " ") != std::string::npos;
}

}  // namespace assay::device
