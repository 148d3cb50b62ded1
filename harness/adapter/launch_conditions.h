// Values of the names in a launch by the conditions around it: `if (threads == 128) k<128><<<blocks, threads>>>(…)`.
#pragma once

#include "harness/adapter/expression.h"

namespace assay {

// The names that are a number wherever the launch at offset `at` of a function's body is reached: by `if (name == 128)`
// and `switch (name) { case 128:` around it. `constants` are those of the file. Nothing where the conditions say else.
Names names_by_conditions(const std::string& body, size_t at, const Names& constants);

}  // namespace assay
