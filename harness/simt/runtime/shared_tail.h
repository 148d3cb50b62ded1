// Known bytes behind the dynamic shared memory of a launch of the fast build, which a kernel that uses more than it was
// launched with changes.
//
// A module has room for the most dynamic shared memory that there can be, so nothing else stops such a kernel here; on
// a GPU it reads and writes what is not its own. Reads are not seen, nor writes farther behind.
#pragma once

#include <cstddef>

#include "harness/simt/include/simt/module.h"
#include "harness/simt/runtime/finding.h"

namespace assay::simt {

class SharedTail {
 public:
  SharedTail(const Module& module, size_t launched_bytes);
  Findings findings(const char* kernel) const;  // after the launch

 private:
  char* begin_;
  size_t bytes_, launched_bytes_;
};

}  // namespace assay::simt
