// Loading a user's library, and lending it the buffers of a case.
#include "harness/program/runtime/guest_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/write_file.h"
#include "harness/op/cuda_library.h"
#include "harness/program/elf_file.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/redirect.h"
#include "harness/program/runtime/settings.h"

namespace assay::program {
namespace {

namespace fs = std::filesystem;

Result<void*> opened(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(fmt::format("{} cannot be loaded: {}", path, dlerror()),
                "LD_LIBRARY_PATH says where the libraries are that it needs");
  return handle;
}

// Libraries of CUDA that a library may ask for by name, where there is no toolkit.
void open_stand_ins() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&open_stand_ins), &own) == 0) return;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(own.dli_fname).parent_path() / "cudart", none))
    dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}

// A library that has NVIDIA's runtime linked in registers its kernels there as soon as it is loaded. So a copy of it is
// loaded whose constructors the loader does not know, and they run when the runtime's functions lead to ours.
Result<void*> opened_and_redirected(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  std::string bytes = text.str();
  uint64_t array = 0, array_bytes = 0;
  {
    const ElfFile file(path);
    const auto value = [&](uint64_t place) {
      uint64_t word = 0;
      if (place != 0) std::memcpy(&word, bytes.data() + place, sizeof word);
      return word;
    };
    const uint64_t size_place = file.place_of_tag(DT_INIT_ARRAYSZ);
    array = value(file.place_of_tag(DT_INIT_ARRAY)), array_bytes = value(size_place);
    if (size_place != 0) std::memset(bytes.data() + size_place, 0, sizeof array_bytes);
  }
  static int copies = 0;
  const std::string copy =
      fmt::format("{}/{}-{}-{}", settings().folder, getpid(), ++copies, fs::path(path).filename().string());
  ASSAY_TRY(write_file(copy, bytes));
  void* const handle = ASSAY_TRY(opened(copy));
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return fail(fmt::format("{} cannot be loaded: {}", path, dlerror()));
  redirect_linked_runtime(copy, map->l_addr);
  using Constructor = void (*)(int, char**, char**);
  const auto* const constructors = reinterpret_cast<const Constructor*>(map->l_addr + array);
  for (size_t i = 0; i < array_bytes / sizeof(Constructor); ++i) constructors[i](0, nullptr, environ);
  return handle;
}

// Memory that a call has left allocated ends with its case here, though the library may count on it: so it is loaded
// anew for the next call, which is then the first one of a process.
size_t left_behind = 0;  // allocations

Result<void*> library_at(const std::string& path) {
  static auto& known = *new std::map<std::string, void*>;
  static bool is_loaded_anew = false;
  if (known.empty()) open_stand_ins();
  if (std::exchange(left_behind, 0) > 0) known.clear(), is_loaded_anew = true;
  if (const auto found = known.find(path); found != known.end()) return found->second;
  const bool is_copied = is_loaded_anew || has_linked_runtime(path);
  return known[path] = ASSAY_TRY(is_copied ? opened_and_redirected(path) : opened(path));
}

// By its name as it is exported, or as C++ has it without parameters.
Result<void*> function_at(const std::string& path, const std::string& name) {
  static auto& known = *new std::map<std::pair<void*, std::string>, void*>;
  void* const library = ASSAY_TRY(library_at(path));
  void*& function = known[{library, name}];
  if (function == nullptr) function = dlsym(library, name.c_str());
  if (function != nullptr) return function;
  for (const ElfFunction& each : ElfFile(path).functions(SHT_DYNSYM))
    if (const std::string text = readable(each.name); text.substr(0, text.find('(')) == name)
      return function = dlsym(library, each.name.c_str());
  return fail(fmt::format("{} exports no function {}", path, name));
}

std::set<void*>& lent() {
  static std::set<void*>& all = *new std::set<void*>;
  return all;
}

}  // namespace

ASSAY_EXPORTED const char* assay_library_call_begins(const char* path, const char* name, const LentBuffer* buffers,
                                                     size_t count, void** function) {
  static std::string& error = *new std::string;
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  const auto found = function_at(path, name);
  error = found ? "" : found.error().line();
  if (!found) return error.c_str();
  *function = *found;
  process.last_error = process.lasting_error = cudaSuccess;
  for (size_t i = 0; i < count; ++i)
    if (buffers[i].bytes > 0 && lent().insert(buffers[i].begin).second)
      process.lend(buffers[i].begin, buffers[i].bytes, buffers[i].name);
  return error.c_str();
}

ASSAY_EXPORTED void assay_library_call_ends() {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  for (void* const each : lent()) process.take_back(each);
  lent().clear();
  left_behind += process.forget_allocations();
}

}  // namespace assay::program
