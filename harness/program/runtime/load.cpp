// Runs when the library is loaded into a program, and when the program ends.
#include "harness/program/runtime/launch_capture.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/redirect.h"
#include "harness/program/runtime/settings.h"

namespace {

// Before the program's own constructors, which register its kernels.
__attribute__((constructor)) void on_load() {
  if (!assay::program::settings().is_guest) assay::program::redirect_linked_runtimes();
}

__attribute__((destructor)) void on_end() {
  if (!assay::program::GpuProcess::is_used() || assay::program::settings().is_guest) return;
  auto& process = assay::program::GpuProcess::get();
  process.log_end();
  assay::program::tell_captures(process);
  process.log().end();
}

}  // namespace
