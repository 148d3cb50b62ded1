// Functions by name, for programs that look them up.
#include <dlfcn.h>

#include <string>

#include "harness/program/driver/result.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

enum Found : int { kFound, kNotFound };

// The form of a call that a version of CUDA has under a plain name: the last that is here, but cuCtxCreate with four
// parameters only since 13.0.
void* address_of(const std::string& name, int version) {
  static void* const library = [] {
    Dl_info own{};
    dladdr(reinterpret_cast<const void*>(&address_of), &own);
    return dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  if (name == "cuCtxCreate" && version >= 13000) return dlsym(library, "cuCtxCreate_v4");
  for (const char* const suffix : {"_v2", ""})
    if (void* const found = dlsym(library, (name + suffix).c_str())) return found;
  return nullptr;
}

}  // namespace

ASSAY_EXPORTED CUresult cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long,
                                            int* status) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = address_of(name, version);
  if (status != nullptr) *status = *function == nullptr ? kNotFound : kFound;
  return *function == nullptr && status == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// NVIDIA's runtime asks for tables of functions that no document describes: one is linked into the program, and without
// a symbol table nothing leads its calls here.
ASSAY_EXPORTED CUresult cuGetExportTable(const void**, const void*) {
  call("cuGetExportTable", [](GpuProcess& process) {
    process.found(simt::Kind::skipped,
                  "a CUDA runtime is linked into the program or into a library of it, which has no symbol table: what "
                  "it launches is not run and not checked; keep the symbols (no strip, no -s), or build with "
                  "-cudart shared",
                  "cuGetExportTable");
    return cudaSuccess;
  });
  return CUDA_ERROR_NOT_SUPPORTED;
}

// The runtime's way to them.
ASSAY_EXPORTED cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                                            unsigned long long flags, int* status) {
  return static_cast<cudaError_t>(cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, status));
}
ASSAY_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
ASSAY_EXPORTED cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                                   int* status) {
  constexpr unsigned kVersion = 12000;  // that has the call
  return cudaGetDriverEntryPointByVersion(name, function, kVersion, flags, status);
}
ASSAY_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);

}  // namespace assay::program
