// Standard output led nowhere for a while: what runs again would print again.
#pragma once

#include "harness/base/descriptor.h"

namespace assay {

// While it lives, what this process prints on standard output is lost, whoever prints it; what was printed before is
// not. Where nothing can be opened, all is printed. Standard error stays.
class SilentOutput {
 public:
  SilentOutput();
  ~SilentOutput();
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;

 private:
  Descriptor before_;
};

}  // namespace assay
