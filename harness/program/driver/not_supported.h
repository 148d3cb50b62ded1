// How the driver's calls that are not implemented are listed: as those of the runtime (runtime/not_supported.cpp), with
// the others among them, whose definitions win over the weak ones here.
#pragma once

#include "harness/program/driver/result.h"
#include "harness/program/runtime/process.h"

namespace assay::program {

// Fails, and has the call named at the program's end.
inline CUresult driver_not_supported(const char* name) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.log().unsupported(name);
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace assay::program

#define ASSAY_DRIVER_NOT_SUPPORTED(name)                                    \
  extern "C" __attribute__((visibility("default"), weak)) CUresult name() { \
    return assay::program::driver_not_supported(#name);                     \
  }
