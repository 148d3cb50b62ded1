// `assay run --capture`: launches of the kernels that it names become files (../saved_launch.h).
#pragma once

#include <memory>
#include <string>

#include "harness/program/memory_snapshot.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"

namespace assay::program {

// A launch that is to become a file, from before it runs until it has run.
class LaunchCapture {
 public:
  // Null unless the launch, which is the process's last by number, is asked for and checked.
  static std::unique_ptr<LaunchCapture> of(GpuProcess& process, const RegisteredKernel& kernel,
                                           const simt::ProgramKernel& compiled, const simt::Launch& shape,
                                           void** arguments, bool is_checked);

  // Writes the file, or says why there is none. `where`: the launch; `worst`: of what was found in it; `has_children`:
  // its kernel has launched others.
  void finish(const std::string& where, simt::Kind worst, bool has_children);

 private:
  LaunchCapture(GpuProcess& process, const RegisteredKernel& kernel) : process_(process), kernel_(kernel) {}
  Result<std::string> written(simt::Kind worst, bool has_children);

  GpuProcess& process_;
  const RegisteredKernel& kernel_;
  SavedLaunch launch_;
  std::unique_ptr<MemorySnapshot> snapshot_;
};

// At the program's end: if launches were to be captured and none was, why.
void tell_captures(GpuProcess& process);

}  // namespace assay::program
