// For the generated file around a function of a user's CUDA library (harness/adapter/build/generate.cpp writes it): the
// function under its own name, called where the library has it.
#pragma once

#include "harness/adapter/wrapper.h"
#include "harness/op/cuda_library.h"

// Types of parameters that no header of the executor has.
struct cublasContext;
struct cublasLtContext;
using cublasHandle_t = cublasContext*;
using cublasLtHandle_t = cublasLtContext*;

namespace assay::adapter {

template <class F>
struct LibraryFunction;
template <class R, class... Params>
struct LibraryFunction<R(Params...)> {
  const char* path;
  const char* name;
  mutable void* function = nullptr;  // while it is called

  void operator()(Params... arguments) const {
    auto* const called = reinterpret_cast<R (*)(Params...)>(function);
    if constexpr (std::is_same_v<R, cudaError_t>) {
      if (const cudaError_t error = called(arguments...); error != cudaSuccess)
        simt::device_refuse((std::string(name) + " returned " + cudaGetErrorString(error)).c_str());
    } else {
      called(arguments...);
    }
  }
};

template <class F, class Body>
void call_library(const Call& call, int64_t workspace_bytes, const LibraryFunction<F>& called, Body body) {
  if (may_be_cut_off(call.c())) return simt::skip_call(kCutOff);
  call_cuda_library(call, static_cast<size_t>(std::max<int64_t>(workspace_bytes, 0)), called.path, called.name,
                    [&](void* function) {
                      called.function = function;
                      body();
                    });
}

inline cublasHandle_t cublas_handle() { return static_cast<cublasHandle_t>(made_by_cuda("cublasCreate_v2")); }
inline cublasLtHandle_t cublas_lt_handle() { return static_cast<cublasLtHandle_t>(made_by_cuda("cublasLtCreate")); }

}  // namespace assay::adapter
