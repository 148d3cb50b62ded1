// Files that `assay c++` has compiled: they carry the text of their kernels in place of PTX.
#include <map>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/source_image.h"

namespace assay::program {
namespace {

constexpr uint64_t kVersion = 1;

// That of a file, or of all of a library that are linked.
ProgramImage* image_of(const SourceDescription& source) {
  static auto& linked = *new std::map<const void*, ProgramImage*>;
  static auto& alone = *new std::map<const SourceDescription*, ProgramImage*>;
  ProgramImage*& image =
      (source.flags & SourceDescription::kIsRelocatable) != 0 ? linked[source.library] : alone[&source];
  if (image == nullptr) image = Modules::get().add({});
  return image;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void __assayRegisterProgram(const SourceDescription* source) {
  if (source->code == source->code_end) return;
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  if (source->version != kVersion)
    return process.found(simt::Kind::skipped, "another version of `assay c++` has built the program: build it again",
                         "before main");
  ProgramImage* const image = image_of(*source);
  image->sources.emplace_back(source->code, static_cast<size_t>(source->code_end - source->code));
  image->tells = image->tells.value_or(false) || (source->flags & SourceDescription::kTellsHost) != 0;
  for (const auto* kernel = source->kernels; kernel->host_function != nullptr; ++kernel)
    Modules::get().add_kernel(image, kernel->host_function, kernel->name);
  for (const auto* variable = source->variables; variable->host_variable != nullptr; ++variable)
    Modules::get().add_variable(image, variable->host_variable, variable->name, variable->bytes);
}

// The address of a managed variable, for host code; where the device's code does not compile, the host's own.
extern "C" __attribute__((visibility("default"))) void* __assayManaged(const SourceDescription*, void* variable) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  const auto found = Modules::get().variable_of(variable);
  if (found) return (*found)->address;
  process.found(simt::Kind::skipped, "a managed variable is the host's alone: " + found.error().line(), "before main");
  return variable;
}

}  // namespace assay::program
