// The handle of cuBLAS, and how a call of it is done: its scalars are read when the call or the graph says so, its work
// goes to the handle's stream.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "harness/program/libraries/abi_libraries.h"
#include "harness/program/libraries/operands.h"
#include "harness/program/number_types.h"
#include "harness/program/runtime/capture.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  int math_mode = 0, atomics_mode = 0, sm_count = 0;
};

namespace assay::program {

// Whether only kernels may access the address.
bool is_device_memory(const void* address);
// Makes the finding that a handle takes a pointer for one of the host that is none. Returns true.
bool found_for_host(GpuProcess& process, const char* call, const char* name);

// A scalar that a program passes: its value where that is the host's, which is read at once, else where it lies.
class Scalar {
 public:
  Scalar(cublasPointerMode_t mode, Number type, const void* pointer)
      : type_(type), on_device_(mode == CUBLAS_POINTER_MODE_DEVICE ? pointer : nullptr) {
    if (mode != CUBLAS_POINTER_MODE_HOST || pointer == nullptr) return;
    value_ = load<double>(type, pointer, 0);
    is_taken_for_host_ = is_device_memory(pointer);
  }
  // False: it cannot be read, which is a finding.
  bool read(GpuProcess& process, const char* call, const char* name, double& value) const {
    value = value_;
    if (is_taken_for_host_) return !found_for_host(process, call, name);
    if (on_device_ == nullptr) return true;
    if (!can_read(process, call, {name, on_device_, bytes_of(type_), 1, 1, 1})) return false;
    value = load<double>(type_, on_device_, 0);
    return true;
  }

 private:
  Number type_;
  const void* on_device_;
  double value_ = 0;
  bool is_taken_for_host_ = false;  // a GPU's program would end there
};

// Does the work on the stream, or keeps it in the graph that captures it. `body`: from the process to cudaSuccess or
// an error. `name`: the call, which lasts.
template <class Body>
cublasStatus_t submit_library(const char* name, cudaStream_t stream, Body body) {
  const LibraryWork work{std::make_shared<const LibraryWork::Body>(std::move(body))};
  return submit(name, stream, work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// Does work whose result the host gets, which no graph can keep.
template <class Body>
cublasStatus_t do_for_host(const char* name, cudaStream_t stream, Body body) {
  const cudaError_t error = call(name, [&](GpuProcess& process) {
    const cudaError_t refused = check_wait(stream);
    return refused != cudaSuccess ? refused : body(process);
  });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace assay::program
