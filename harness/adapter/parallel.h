// Several calls of the compiler at once.
#pragma once

#include <cstddef>
#include <functional>

#include "harness/base/error.h"

namespace assay {

// Runs step(0) … step(count - 1), as many at once as there are processors, and waits for all. The error is that of the
// lowest number, so that it does not depend on who was first.
Result<void> in_parallel(size_t count, const std::function<Result<void>(size_t)>& step);

}  // namespace assay
