// Several calls of the compiler at once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "harness/base/error.h"

namespace assay {

// Runs step(0) … step(count - 1), as many at once as there are processors, and waits for all. The error is that of the
// lowest number, so that it does not depend on who was first. `doing`, as "compiling a.cu (1 of 3)", is shown with the
// seconds from the first on, where standard error is a terminal.
Result<void> in_parallel(size_t count, const std::function<Result<void>(size_t)>& step, const std::string& doing = "");

}  // namespace assay
