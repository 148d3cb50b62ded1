// The package that brings a header that is not here.
#pragma once

#include <string>
#include <vector>

namespace assay {

// Each header as it is, or with the package that it comes with: "NAME (MPI: apt install libopenmpi-dev, …)".
std::vector<std::string> with_packages(const std::vector<std::string>& headers);

}  // namespace assay
