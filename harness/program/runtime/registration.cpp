// Fat binaries, kernels and variables: the code that nvcc and clang generate around kernels calls this before main.
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"

namespace assay::program {
namespace {

// The structure that __cudaRegisterFatBinary is given.
struct FatBinaryWrapper {
  int magic, version;
  const void* data;
  const void* const* parts;  // of a program that was linked from files compiled apart: theirs, and a null pointer
};
constexpr int kLinked = 2;  // its version

ProgramImage* image_of(void** handle) { return reinterpret_cast<ProgramImage*>(handle); }

template <class Body>
auto locked(Body body) {
  const std::lock_guard lock(GpuProcess::get().lock());
  return body(Modules::get());
}

}  // namespace

ASSAY_EXPORTED void** __cudaRegisterFatBinary(void* wrapper) {
  const auto& given = *static_cast<const FatBinaryWrapper*>(wrapper);
  std::vector<const void*> fat_binaries = {given.data};
  for (auto part = given.parts; given.version == kLinked && part != nullptr && *part != nullptr; ++part)
    fat_binaries.push_back(*part);
  return locked([&](Modules& modules) { return reinterpret_cast<void**>(modules.add(fat_binaries)); });
}

ASSAY_EXPORTED void __cudaRegisterFatBinaryEnd(void**) {}
ASSAY_EXPORTED void __cudaUnregisterFatBinary(void**) {}  // kernels may be launched by destructors that come later

ASSAY_EXPORTED void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* name, int,
                                           uint3*, uint3*, dim3*, dim3*, int*) {
  locked([&](Modules& modules) { modules.add_kernel(image_of(handle), host_function, name); });
}

ASSAY_EXPORTED void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* name, int, size_t bytes,
                                      int, int) {
  locked([&](Modules& modules) { modules.add_variable(image_of(handle), host_variable, name, bytes); });
}

ASSAY_EXPORTED void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* name, int,
                                             size_t bytes, int, int) {
  locked([&](Modules& modules) { modules.add_managed(image_of(handle), host_pointer, name, bytes); });
}

ASSAY_EXPORTED char __cudaInitModule(void** handle) {
  locked([&](Modules& modules) { modules.initialise(image_of(handle)); });
  return 1;
}

}  // namespace assay::program
