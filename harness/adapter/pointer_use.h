// Finds a kernel's uses of its pointer parameters, as far as the text shows.
#pragma once

#include <map>
#include <string>

#include "harness/adapter/kernel_source.h"

namespace assay {

struct PointerUse {
  bool indexed = false;   // p[i], *p
  bool written = false;   // p[i] = …, directly or through a pointer that was made from it
  bool added_to = false;  // by atomicAdd
  bool read = false;      // its elements, as p[i] += … does too
  bool passed = false;    // to a function, which may do anything
  bool many = false;      // indexed by what is no number: it points to several elements
};

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
