// Branches of #if that are compiled for certain, and those that are not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// `code`, which has no comments, with those branches as blanks that the macros in it and `define` ("NAME" or
// "NAME=VALUE") leave out for certain; lines and columns stay. Conditions are known where they ask whether names are
// defined. Names that begin with an underscore or with CU are the compiler's or the toolkit's, and unknown: both
// branches stay.
std::string with_known_branches(std::string_view code, const std::vector<std::string>& define);

}  // namespace assay
