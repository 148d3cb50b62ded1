// Tensors of more elements than memory holds, while kernels run on them.
#pragma once

#include <csetjmp>
#include <string>
#include <vector>

#include "harness/tensor/virtual_tensor.h"

namespace assay {

// For as long as the object lives, memory of these tensors comes into being when it is touched. An access between them
// ends the kernel's block with an OUT_OF_BOUNDS finding; so does a block that touches more memory than it may, which is
// SKIPPED. One at a time in a process.
class TouchedOnDemand {
 public:
  explicit TouchedOnDemand(std::vector<VirtualTensor*> tensors);
  ~TouchedOnDemand();

  // Where host code, which has no block to end, is left for such an access; and the reason then.
  sigjmp_buf* host_code() const;
  const std::string& why_stopped() const;

  TouchedOnDemand(const TouchedOnDemand&) = delete;
  TouchedOnDemand& operator=(const TouchedOnDemand&) = delete;
};

}  // namespace assay
