// Decides about counted totals, and whether a ratio of totals is worth a note.
#pragma once

#include "harness/compare/compare.h"

namespace assay::comparison {

// Both fill in the values of `line`, which are exact ones.

// Growth beyond `growth_max` (a share) and any decrease are a change; where compilers differ, they may be theirs.
void compare_total(Line& line, const Series& before, const Series& after, double growth_max, bool other_compiler);
inline constexpr const char* kOtherCompiler = "another compiler";  // `why`, then

// Whether it moved by a thousandth or more: what moves less moved with its totals' rounding.
bool compare_ratio(Line& line, const Series& before, const Series& after);

}  // namespace assay::comparison
