// Parameters that are structures of pointers and numbers by value. Inference sees each field as a parameter of its own;
// the call that is generated puts the fields into the structure again.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/read/kernel_source.h"

namespace assay {

// The code with "p.n" replaced by "n", where p is such a parameter and n its field.
std::string with_fields(const std::string& code, const std::vector<Parameter>& parameters);

// The arguments of a launch for the fields of `kernel`: "p.x" for each field x where it passes p.
std::vector<std::string> fields_of(const std::vector<std::string>& arguments, const std::vector<Parameter>& kernel);

// From one argument for each parameter and field, "x", "y", "1", "rows", to one for each parameter of the kernel:
// "Args(x, y, 1)", "rows", where the first three are fields of an Args.
std::vector<std::string> in_records(const std::vector<std::string>& arguments,
                                    const std::vector<Parameter>& parameters);

// The way back, from "Args(x, y, 1)", "rows" to "x", "y", "1", "rows". Where an argument for a structure is written in
// another way, the arguments come back unchanged.
std::vector<std::string> without_records(const std::vector<std::string>& arguments,
                                         const std::vector<Parameter>& parameters);

}  // namespace assay
