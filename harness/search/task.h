// What a worker is given: a case, and the device that runs it.
#pragma once

#include <string>

#include "harness/case/case.h"

namespace assay {

struct Task {
  Case c;
  std::string device;
};

}  // namespace assay
