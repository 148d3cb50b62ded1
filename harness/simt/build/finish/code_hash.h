// A hash of a file's machine code: two builds with the same hash have the same kernels.
#pragma once

#include <cstdint>

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

// The hash of all that the file tells the assembler to put into memory: instructions, and data such as constants and
// the lines of assertions. Text that only debuggers read is no part of it, so a comment that moves every line changes
// it no more than a new name of a variable does.
uint64_t code_hash(const Assembly& assembly);

// The definition of `assay_code_hash` (op/variant.h), local to the file. Drops what the file says of its visibility.
std::string define_code_hash(Assembly& assembly, uint64_t hash);

}  // namespace assay::simt::finish
