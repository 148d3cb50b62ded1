// Which kernel of a PTX module an adapter's entry is.
#pragma once

#include <string>

#include "harness/ptx/module.h"

namespace assay {

// "softmax<float, 128>(float const*, int)" of a mangled name; the name itself where it is not mangled.
std::string demangled(const std::string& name);

// The same without the result's type and the parameters: "softmax<float, 128>".
std::string without_parameters(const std::string& demangled);

// The same as text of the file that defines the kernel can name it: "softmax<float>" of "_ZN..._GLOBAL__N_...". Static
// kernels and those in an unnamed namespace have a namespace of nvcc's making.
std::string spelled_in_its_file(const std::string& name);

// "softmax" of "mine::softmax<float>" and of Numba's "__main__::softmax[abi:v1]".
std::string short_name(const std::string& name);

// The parameters' types: "float const*", "int".
std::vector<std::string> parameter_types(const std::string& demangled);

// The PTX name of the kernel that `entry` names: as it is, or as C++ writes it, spaces aside; or the only one of this
// name whatever its namespace and template arguments are. Errors: none or several, with those that there are.
Result<std::string> entry_named(const ptx::Module& module, const std::string& entry, const std::string& path);

// The PTX name of the only kernel that text of its file names exactly so, spaces aside: "mine::scale<float, 128>"; ""
// where there is none or several.
std::string entry_spelled(const ptx::Module& module, const std::string& spelled);

// CUDA text that makes nvcc compile `entry` and keep its name under `number`.
std::string marker(const std::string& entry, int number);
extern const char* const kMarkerBegin;  // what must come before markers

// The PTX name of what marker(…, number) names.
Result<std::string> entry_marked(const ptx::Module& module, int number, const std::string& entry);

}  // namespace assay
