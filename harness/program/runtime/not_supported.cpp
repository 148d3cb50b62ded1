// Counting calls that fail.
#include "harness/program/runtime/not_supported.h"

#include <string_view>

#include "harness/program/runtime/process.h"

namespace assay::program {

// An error of the driver is none that cudaGetLastError gives.
int not_supported(const char* name) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.log().unsupported(name);
  if (std::string_view(name).find("cuda") != std::string_view::npos) process.last_error = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}

}  // namespace assay::program
