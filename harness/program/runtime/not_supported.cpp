// Counting calls that fail.
#include "harness/program/runtime/not_supported.h"

#include <string_view>

#include "harness/program/runtime/process.h"
#include "harness/program/runtime/settings.h"

namespace assay::program {

// An error of the driver is none that cudaGetLastError gives.
int not_supported(const char* name) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  if (settings().is_guest)
    process.found(simt::Kind::skipped, "it calls what Assay does not have", name);
  else
    process.log().unsupported(name);
  if (std::string_view(name).find("cuda") != std::string_view::npos) process.last_error = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}

}  // namespace assay::program
