// Calls the compiler, which is a process of its own, and loads what it makes.
#include "harness/program/runtime/modules.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "harness/base/command.h"
#include "harness/base/write_file.h"
#include "harness/program/fat_binary.h"
#include "harness/program/runtime/settings.h"

namespace assay::program {
namespace {

// The container says how long it is.
std::string_view bytes_of_fat_binary(const void* begin) {
  uint16_t header_bytes = 0;
  uint64_t bytes = 0;
  std::memcpy(&header_bytes, static_cast<const char*>(begin) + 6, sizeof header_bytes);
  std::memcpy(&bytes, static_cast<const char*>(begin) + 8, sizeof bytes);
  return {static_cast<const char*>(begin), header_bytes + bytes};
}

// The compiler is no part of what is tested: neither our library nor the user's is loaded into it.
Result<ProcessResult> ask_compiler(const std::vector<std::string>& words) {
  return run_process({.words = words, .environment = {{"LD_PRELOAD", ""}, {"LD_LIBRARY_PATH", ""}}});
}

}  // namespace

std::string readable(const std::string& name) {
  // nvcc puts the file's name before that of a function that is static.
  const size_t own = name.starts_with("__nv_static_") ? name.rfind("__Z") + 1 : 0;
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str() + own, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

Modules& Modules::get() {
  static Modules& modules = *new Modules;
  return modules;
}

ProgramImage* Modules::add(std::vector<const void*> fat_binaries) {
  images_.push_back(new ProgramImage{.fat_binaries = std::move(fat_binaries)});
  return images_.back();
}

// Atomics are the device's own unless their scope is the system's; volatile accesses say nothing of scope.
bool ProgramImage::tells_host() const {
  if (!tells) {
    const auto texts = Modules::ptx_of_image(*this);
    tells = !texts || std::ranges::any_of(*texts, [&](const std::string& text) {
      return text.find(".volatile") != text.npos || text.find(".sys") != text.npos;
    });
  }
  return *tells;
}

void Modules::add_kernel(ProgramImage* image, const void* host_function, const char* name) {
  kernels_[host_function] = {image, name};
}

void Modules::add_variable(ProgramImage* image, const void* host_variable, const char* name, size_t bytes) {
  variables_[host_variable] = {image, name, bytes};
}

void Modules::add_managed(ProgramImage* image, void** host_pointer, const char* name, size_t bytes) {
  managed_.emplace_back(host_pointer, RegisteredVariable{image, name, bytes});
}

void Modules::initialise(ProgramImage* image) {
  for (const auto& [pointer, variable] : managed_) {
    if (variable.image != image || *pointer != nullptr) continue;
    if (!image->variables.contains(variable.name) && !compile(*image, variable.name)) continue;
    *pointer = image->variables.at(variable.name)->address;
  }
}

RegisteredKernel* Modules::kernel_of(const void* host_function) {
  const auto found = kernels_.find(host_function);
  return found == kernels_.end() ? nullptr : &found->second;
}

Result<const simt::ProgramKernel*> Modules::compiled(const RegisteredKernel& kernel) {
  const auto known = kernel.image->kernels.find(kernel.name);
  if (known != kernel.image->kernels.end()) return known->second;
  if (auto done = compile(*kernel.image, kernel.name); !done) return tl::unexpected(done.error());
  return kernel.image->kernels.at(kernel.name);
}

Result<const simt::ProgramVariable*> Modules::variable_of(const void* host_variable) {
  const auto found = variables_.find(host_variable);
  if (found == variables_.end()) {
    for (const auto& [pointer, variable] : managed_)
      if (pointer == host_variable || *pointer == host_variable) return variable.image->variables.at(variable.name);
    return fail("no such variable is registered", "");
  }
  ProgramImage& image = *found->second.image;
  const std::string& name = found->second.name;
  if (!image.variables.contains(name))
    if (auto done = compile(image, name); !done) return tl::unexpected(done.error());
  return image.variables.at(name);
}

bool Modules::is_variable(const void* address) const {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (const ProgramImage* image : images_)
    for (const auto& [name, variable] : image->variables)
      if (at - reinterpret_cast<uintptr_t>(variable->address) < variable->bytes) return true;
  return false;
}

std::vector<std::string> Modules::registered_variables(const ProgramImage& image) const {
  std::vector<std::string> names;
  for (const auto& [host, variable] : variables_)
    if (variable.image == &image) names.push_back(variable.name);
  for (const auto& [host, variable] : managed_)
    if (variable.image == &image) names.push_back(variable.name);
  return names;
}

Result<std::vector<std::string>> Modules::ptx_of_image(const ProgramImage& image) {
  if (!image.sources.empty())
    return fail("its program has the device's code as C++, as `assay c++` builds it, which a file cannot hold yet",
                "build the program with nvcc");
  std::string bytes;
  for (const void* each : image.fat_binaries) bytes += bytes_of_fat_binary(each);
  std::vector<std::string> texts;
  for (PtxImage& each : ASSAY_TRY(ptx_of(bytes))) texts.push_back(std::move(each.text));
  return texts;
}

bool Modules::is_with(const RegisteredKernel& kernel, const simt::ProgramVariable& variable) {
  return std::ranges::any_of(kernel.image->modules, [&](const simt::ProgramModule* module) {
    bool has_kernel = false, has_variable = false;
    for (const auto* each = module->kernels; each->name != nullptr; ++each) has_kernel |= each->name == kernel.name;
    for (const auto* each = module->variables; each->name != nullptr; ++each) has_variable |= each == &variable;
    return has_kernel && has_variable;
  });
}

Result<void> Modules::compile(ProgramImage& image, const std::string& name) {
  if (const auto before = image.refused.find(name); before != image.refused.end())
    return tl::unexpected(before->second);
  const auto module = module_of(image, name,
                                settings().stats                                   ? "counting"
                                : settings().tools.empty() && !settings().is_guest ? "fast"
                                                                                   : "checked");
  if (!module) {
    image.refused[name] = module.error();
    return tl::unexpected(module.error());
  }
  image.modules.push_back(*module);
  for (const auto* kernel = (*module)->kernels; kernel->name != nullptr; ++kernel) image.kernels[kernel->name] = kernel;
  for (const auto* each = (*module)->variables; each->name != nullptr; ++each) image.variables[each->name] = each;
  if (image.kernels.contains(name) || image.variables.contains(name)) return {};
  image.refused[name] = {fmt::format("the program's device code has no '{}'", name), ""};
  return tl::unexpected(image.refused[name]);
}

const simt::ProgramKernel* Modules::fast(const RegisteredKernel& kernel) {
  ProgramImage& image = *kernel.image;
  if (const auto known = image.fast_kernels.find(kernel.name); known != image.fast_kernels.end()) return known->second;
  const auto module = module_of(image, kernel.name, "fast");
  const simt::ProgramKernel* found = nullptr;
  if (!module) return image.fast_kernels[kernel.name] = nullptr;
  bool is_alone = true;
  for (const auto* each = (*module)->variables; each->name != nullptr; ++each) is_alone = is_alone && !each->is_shared;
  for (const auto* each = (*module)->kernels; is_alone && each->name != nullptr; ++each)
    if (each->name == kernel.name) found = each;
  return image.fast_kernels[kernel.name] = found;
}

Result<const simt::ProgramModule*> Modules::module_of(ProgramImage& image, const std::string& name, const char* build) {
  if (image.file.empty()) {
    image.file = fmt::format("{}/{}-{}.fatbin", settings().folder, getpid(), fmt::ptr(&image));
    std::string bytes;
    for (const void* each : image.fat_binaries) bytes += bytes_of_fat_binary(each);
    for (const std::string_view each : image.sources) bytes += each;
    if (auto done = write_file(image.file, bytes); !done) return tl::unexpected(done.error());
  }
  std::vector<std::string> words = {settings().assay, "compile-kernel", image.file, name, build};
  if (!image.sources.empty()) words = {settings().assay, "compile-program", image.file, build};
  for (std::string& variable : registered_variables(image)) words.push_back(std::move(variable));
  const auto answer = ask_compiler(words);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->end.ok()) return fail(answer->errors.substr(0, answer->errors.find_last_not_of('\n') + 1));
  void* const library = dlopen(answer->output.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const table = library == nullptr ? nullptr : dlsym(library, "assay_program_module");
  if (table == nullptr) return fail(fmt::format("{} cannot be loaded: {}", answer->output, dlerror()));
  return static_cast<const simt::ProgramModule*>(table);
}

}  // namespace assay::program
