// Loading modules, and finding kernels and variables in them by name.
#include "harness/program/driver/module.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <iterator>

#include "harness/program/driver/jit_options.h"
#include "harness/program/fat_binary.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"
#include "harness/program/source_module.h"

namespace assay::program {
namespace {

std::string_view word_at(std::string_view text, size_t at) {
  const auto is_in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  };
  size_t end = at;
  while (end < text.size() && is_in_name(text[end])) ++end;
  return text.substr(at, end - at);
}

// The names behind each ".entry" of a text.
void add_kernels(std::string_view ptx, std::set<std::string>& names) {
  constexpr std::string_view kEntry = ".entry";
  for (size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at + 1)) {
    const size_t name = ptx.find_first_not_of(" \t\r\n", at + kEntry.size());
    if (name != std::string_view::npos) names.emplace(word_at(ptx, name));
  }
}

// The names of ".visible .global .align 4 .b8 name[16] = {…};" and its like, for which nvcc and NVRTC use a line each.
void add_variables(std::string_view ptx, std::set<std::string>& names) {
  for (const std::string_view kind : {".visible .global ", ".visible .const ", ".visible .constant "})
    for (size_t at = ptx.find(kind); at != std::string_view::npos; at = ptx.find(kind, at + 1)) {
      std::string_view line = ptx.substr(at, ptx.find_first_of("[=;", at) - at);
      line = line.substr(0, line.find_last_not_of(" \t") + 1);
      names.emplace(line.substr(line.find_last_of(" \t") + 1));
    }
}

// The module's variables have addresses of the program's own, by which it knows them: those of their names here.
CUresult load(CUmodule* module, const void* image) {
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto fat_binaries = fat_binaries_at(image);
  if (!fat_binaries) return fat_binaries.error();
  auto made = std::make_unique<CUmod_st>();
  made->fat_binaries = std::move(*fat_binaries);
  std::vector<const void*> begins;
  std::vector<SourceModule> sources;
  std::map<std::string, uint64_t> sizes;
  for (const std::string& each : made->fat_binaries) {
    if (auto source = source_module_of(each)) {
      made->kernels.insert(source->kernels.begin(), source->kernels.end());
      for (const auto& [name, bytes] : source->variables) made->variables.insert(name), sizes[name] = bytes;
      sources.push_back(std::move(*source));
      continue;
    }
    const auto texts = ptx_of(each);
    if (!texts) {
      GpuProcess::get().found(simt::Kind::skipped, "a module was not loaded: " + texts.error().line(), "cuModuleLoad");
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    for (const PtxImage& text : *texts)
      add_kernels(text.text, made->kernels), add_variables(text.text, made->variables);
    begins.push_back(each.data());
  }
  made->image = Modules::get().add(begins);
  for (const SourceModule& source : sources) made->image->sources.push_back(source.code);
  for (const std::string& name : made->variables)
    Modules::get().add_variable(made->image, name.data(), name.c_str(), sizes[name]);
  *module = made.release();
  return CUDA_SUCCESS;
}

// A call of the driver's API that is none of the runtime's, under the lock.
template <class Body>
CUresult locked(const char* name, Body body) {
  const std::lock_guard lock(GpuProcess::get().lock());
  const CUresult result = body();
  GpuProcess::get().log_findings(name);
  return result;
}

}  // namespace

ASSAY_EXPORTED CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return locked("cuModuleLoadData", [&] { return load(module, image); });
}
ASSAY_EXPORTED CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, const int* options,
                                           void** values) {
  answer_jit_options(count, options, values);
  return cuModuleLoadData(module, image);
}
ASSAY_EXPORTED CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadData(module, image);
}
ASSAY_EXPORTED CUresult cuModuleLoad(CUmodule* module, const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return cuModuleLoadData(module, bytes.c_str());
}
// A module stays when it is compiled, because kernels of it may be in graphs.
ASSAY_EXPORTED CUresult cuModuleUnload(CUmodule module) {
  return module == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

ASSAY_EXPORTED CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return locked("cuModuleGetFunction", [&] {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (!module->kernels.contains(name)) return CUDA_ERROR_NOT_FOUND;
    CUfunc_st*& known = module->functions[name];
    if (known == nullptr) {
      known = new CUfunc_st{module, name};
      Modules::get().add_kernel(module->image, known, name);
    }
    *function = known;
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  if (count == nullptr || module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<unsigned>(module->kernels.size());
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  if (module == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *module = function->module;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuFuncGetName(const char** name, CUfunction function) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = function->name.c_str();
  return CUDA_SUCCESS;
}

ASSAY_EXPORTED CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  return locked("cuModuleGetGlobal", [&] {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto known = module->variables.find(name);
    if (known == module->variables.end()) return CUDA_ERROR_NOT_FOUND;
    const auto variable = Modules::get().variable_of(known->data());
    if (!variable) {
      GpuProcess::get().found(simt::Kind::skipped, fmt::format("cuModuleGetGlobal: {}", variable.error().line()),
                              "cuModuleGetGlobal");
      return CUDA_ERROR_NOT_FOUND;
    }
    if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>((*variable)->address);
    if (bytes != nullptr) *bytes = (*variable)->bytes;
    return CUDA_SUCCESS;
  });
}

}  // namespace assay::program
