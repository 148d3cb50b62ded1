// Errors as the driver's API names and numbers them.
#pragma once

#include "harness/program/driver/abi_driver.h"

namespace assay::program {

// Most have the runtime's number.
CUresult result_of(cudaError_t error);

}  // namespace assay::program
