// The kernel that a user means, and the candidates for how it meets its op, where no adapter says that.
#pragma once

#include <optional>
#include <vector>

#include "harness/adapter/prepared.h"

namespace assay {

// The candidates for a launcher or kernel of the file, which `source` is. Errors: it is not clear which is meant or
// what its op is, parameters that nothing fits, and what is fixed for the op before.
Result<Prepared> inferred(const UserKernel& wanted, const CudaSource& source);

// Puts what the command line fixes in the place of what the adapter says of it. The error is what it cannot be.
std::optional<Error> fix(Adapter& adapter, const std::vector<Fixed>& fixed);

}  // namespace assay
