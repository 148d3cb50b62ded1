// Parameters that are structures of pointers and numbers by value: each field is a parameter of its own here, and a
// call is written with the structure again.
#pragma once

#include <string>
#include <vector>

#include "harness/adapter/read/kernel_source.h"

namespace assay {

// Code with "n" for each "p.n", where p is such a parameter.
std::string with_fields(const std::string& code, const std::vector<Parameter>& parameters);

// The arguments of a launch for the fields of `kernel`: "p.x" for each field x where it passes p.
std::vector<std::string> fields_of(const std::vector<std::string>& arguments, const std::vector<Parameter>& kernel);

// "Args(x, y, 1), rows" of "x", "y", "1", "rows", where the first three are fields of an Args. One argument for each
// parameter and field.
std::vector<std::string> in_records(const std::vector<std::string>& arguments,
                                    const std::vector<Parameter>& parameters);

// The arguments again. As they are where one for a structure is written in some other way.
std::vector<std::string> without_records(const std::vector<std::string>& arguments,
                                         const std::vector<Parameter>& parameters);

}  // namespace assay
