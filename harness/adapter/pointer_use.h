// Finds a kernel's uses of its pointer parameters, as far as the text shows.
#pragma once

#include <map>
#include <string>

#include "harness/adapter/kernel_source.h"

namespace assay {

// The uses by the name of the parameter.
std::map<std::string, PointerUse> pointer_uses(const KernelSource& kernel);

// The kernels' uses of the pointers that a host function passes to them.
std::map<std::string, PointerUse> uses_in_kernels(const CudaSource& source, const FunctionSource& launcher);

// For a host function that launches: its own uses, and whether kernels take several elements of it.
std::map<std::string, PointerUse> pointer_uses(const CudaSource& source, const FunctionSource& launcher);

// Whether the body shows that the parameter is an output, or that it is none; nothing where it shows neither.
enum class Shown { nothing, output, input };
Shown shown_role(const std::map<std::string, PointerUse>& uses, const std::string& parameter);

}  // namespace assay
