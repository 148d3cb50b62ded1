// Matrices and vectors that a library's call reads or writes: whether they are device memory, as large as the call
// says, and have values. A mistake is a finding with the call's line.
#pragma once

#include <cstdint>
#include <string>

#include "harness/program/runtime/process.h"

namespace assay::program {

// `batches` matrices of rows x columns elements, columns `ld` elements apart, matrices `stride`. A vector is a matrix
// of one row.
struct Operand {
  const char* name;  // as the call's documentation names it
  const void* begin;
  size_t element_bytes;
  int64_t rows, columns, ld;
  int64_t batches = 1, stride = 0;
};

// A vector of n elements that lie |increment| apart.
Operand vector_operand(const char* name, const void* begin, size_t element_bytes, int64_t n, int64_t increment);

// False: a finding was made, and the call must not be done.
bool can_read(GpuProcess& process, const char* call, const Operand& operand);
bool can_write(GpuProcess& process, const char* call, const Operand& operand);
// The operand has values from now on.
void wrote(const Operand& operand);

}  // namespace assay::program
