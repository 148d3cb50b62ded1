// Whether kernels may tell the host, while they run, that they have come so far: by atomics of the system's scope, or
// by volatile accesses.
#pragma once

#include <string_view>

namespace assay::cxx {

// Looks at the lines of a preprocessed file that are not a system's header's, nor one of CUDA's.
bool tells_host(std::string_view preprocessed);

}  // namespace assay::cxx
