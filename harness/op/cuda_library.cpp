// Loads libassay_cuda.so when a library is called for the first time, and asks it for the rest.
#include "harness/op/cuda_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/program_files.h"
#include "harness/op/variant.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay {
namespace {

// A function of libassay_cuda.so; null where it cannot be loaded.
void* of_runtime(const char* name) {
  static void* const runtime = [] {
    const std::string path = cuda_runtime_library().string();
    // It asks the environment, as in a program under `assay run`.
    setenv("ASSAY_RUN_GUEST", "1", 1);
    setenv("ASSAY_RUN_COMPILER", (program_folder() / "assay").c_str(), 1);
    setenv("ASSAY_RUN_FOLDER", std::filesystem::temp_directory_path().c_str(), 0);
    return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  }();
  return runtime == nullptr ? nullptr : dlsym(runtime, name);
}

template <class Function>
Function* of_runtime_as(const char* name) {
  return reinterpret_cast<Function*>(of_runtime(name));
}

}  // namespace

void call_cuda_library(const Call& call, size_t workspace_bytes, const char* path, const char* name,
                       const std::function<void(void* function)>& body) {
  using Begin = const char*(const char*, const char*, const LentBuffer*, size_t, void**);
  auto* const begin = of_runtime_as<Begin>("assay_library_call_begins");
  if (begin == nullptr)
    return simt::device_refuse("there is no libassay_cuda.so beside this program; build or install assay again");
  std::vector<std::string> names;
  for (const Call::Buffer& each : call.buffers()) names.emplace_back(each.name);
  std::vector<LentBuffer> buffers;
  for (size_t i = 0; i < names.size(); ++i)
    buffers.push_back({names[i].c_str(), call.buffers()[i].data, static_cast<size_t>(call.buffers()[i].bytes)});
  if (workspace_bytes > 0) buffers.push_back({"workspace", call.workspace<void>(), workspace_bytes});
  void* function = nullptr;
  if (const std::string error = begin(path, name, buffers.data(), buffers.size(), &function); !error.empty())
    return simt::device_refuse(error.c_str());
  body(function);
  of_runtime_as<void()>("assay_library_call_ends")();
}

void* made_by_cuda(const char* create) {
  static auto& known = *new std::map<std::string, void*>;
  void*& handle = known[create];
  auto* const make = of_runtime_as<int(void**)>(create);
  if (handle == nullptr && (make == nullptr || make(&handle) != 0))
    simt::device_refuse(fmt::format("{} cannot make what the function takes", create).c_str());
  return handle;
}

}  // namespace assay
