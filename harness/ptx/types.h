// PTX's types as the C++ types of translated kernels.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::ptx {

// "f32": "float", "b16": "uint16_t", "pred": "bool"; nothing for what is no type
std::optional<std::string> cpp_type(std::string_view type);

// The type of the variable that a register is: 16-bit floats and pairs are kept as bits.
std::string register_type(std::string_view type);

}  // namespace assay::ptx
