// Tables of cuRAND that need no GPU and are NVIDIA's to give: its own library is asked for them, where there is one.
#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/not_supported.h"

namespace assay::program {
namespace {

// Where the program's libraries are looked for, and where toolkits lie.
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  void* const program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (program != nullptr && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<char> memory(size.dls_size);
    auto* const all = reinterpret_cast<Dl_serinfo*>(memory.data());
    *all = size;
    if (dlinfo(program, RTLD_DI_SERINFO, all) == 0)
      for (unsigned i = 0; i < all->dls_cnt; ++i) folders.emplace_back(all->dls_serpath[i].dls_name);
  }
  folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda/lib"});
  return folders;
}

// The function in NVIDIA's library; null where there is none. The empty library of that name (build/cudart) has none.
template <class Function>
Function* nvidias(const char* name) {
  static const std::vector<std::string> folders = library_folders();
  for (const std::string& folder : folders)
    if (void* const library = dlopen((folder + "/libcurand.so.10").c_str(), RTLD_LAZY | RTLD_LOCAL))
      if (void* const found = dlvsym(library, name, "libcurand.so.10")) return reinterpret_cast<Function*>(found);
  not_supported(name);
  return nullptr;
}

constexpr int kArchMismatch = 204;  // CURAND_STATUS_ARCH_MISMATCH, as of other calls that are not there

}  // namespace

ASSAY_EXPORTED int curandGetDirectionVectors32(void* vectors, int set) {
  auto* const call = nvidias<int(void*, int)>("curandGetDirectionVectors32");
  return call == nullptr ? kArchMismatch : call(vectors, set);
}
ASSAY_EXPORTED int curandGetDirectionVectors64(void* vectors, int set) {
  auto* const call = nvidias<int(void*, int)>("curandGetDirectionVectors64");
  return call == nullptr ? kArchMismatch : call(vectors, set);
}
ASSAY_EXPORTED int curandGetScrambleConstants32(void* constants) {
  auto* const call = nvidias<int(void*)>("curandGetScrambleConstants32");
  return call == nullptr ? kArchMismatch : call(constants);
}
ASSAY_EXPORTED int curandGetScrambleConstants64(void* constants) {
  auto* const call = nvidias<int(void*)>("curandGetScrambleConstants64");
  return call == nullptr ? kArchMismatch : call(constants);
}

}  // namespace assay::program
