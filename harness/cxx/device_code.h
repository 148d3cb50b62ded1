// A file's device code as programs carry it: its text for both builds of the executor, preprocessed and rewritten,
// packed. Several of them may stand one behind the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace assay::cxx {

struct DeviceCode {
  std::string fast, checked;  // texts
};

Result<std::string> packed(const DeviceCode& code);

// All that stand there. Errors: something else stands there, or another version of Assay has packed it.
Result<std::vector<DeviceCode>> unpacked(std::string_view bytes);

}  // namespace assay::cxx
