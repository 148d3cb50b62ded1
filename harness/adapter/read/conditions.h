// Which macros a line of a file needs: those of the #ifdef and #if defined(…) around it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The names that must be defined for line `line` (from 1) to be compiled, outermost first, as far as each condition is
// one name, and that the text does not define itself. The compiler's own, which begin with __, are left out.
std::vector<std::string> macros_needed(std::string_view text, int line);

}  // namespace assay
