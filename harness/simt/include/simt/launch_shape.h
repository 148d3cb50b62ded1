// The shape of a launch as a caller states it: the same three things to nvcc, which reads this header too, and to the
// executor.
#pragma once

#include <cstddef>

namespace assay::simt {

struct Launch {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;  // dynamic shared memory of one block
};

}  // namespace assay::simt
