// Copies and sets of memory, for the calls that make them and for graphs that keep them.
#pragma once

#include "harness/program/runtime/abi_graph.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/process.h"

namespace assay::program {

// Whether kernels may access the address.
bool is_on_device(const GpuProcess& process, const void* address);

// Copies rows. `name`: the call, in findings.
cudaError_t copy_rows(const char* name, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind);
// Does the same as cudaMemcpy3D.
cudaError_t copy_box(const char* name, const cudaMemcpy3DParms& given);
// Sets elements of 1, 2 or 4 bytes in rows.
cudaError_t set_elements(const char* name, const cudaMemsetParams& given);

// A call that does `body` and waits for it.
template <class Body>
cudaError_t synchronous(const char* name, Body body) {
  return call(name, [&](GpuProcess&) {
    const cudaError_t error = check_synchronous();
    return error != cudaSuccess ? error : body();
  });
}

}  // namespace assay::program
