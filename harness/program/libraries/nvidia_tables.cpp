// Tables of cuRAND that need no GPU and are NVIDIA's to give: its own library is asked for them, where there is one.
// Else Joe and Kuo's vectors are given for the first dimensions, and no memory is behind them.
#include <dlfcn.h>
#include <link.h>

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/not_supported.h"
#include "harness/program/runtime/process.h"
#include "harness/program/sobol.h"

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
Function* nvidias(const char* name, bool is_needed = true) {
  static const std::vector<std::string> folders = library_folders();
  for (const std::string& folder : folders)
    if (void* const library = dlopen((folder + "/libcurand.so.10").c_str(), RTLD_LAZY | RTLD_LOCAL))
      if (void* const found = dlvsym(library, name, "libcurand.so.10")) return reinterpret_cast<Function*>(found);
  if (is_needed) not_supported(name);
  return nullptr;
}

// Vectors of the dimensions that are known, in front of a page that nobody can read: the table that programs expect has
// 20000.
template <class Word>
void* known_vectors() {
  static void* const table = []() -> void* {
    constexpr size_t kPage = 4096, kBytes = kSobolDimensions * sizeof(SobolVectors<Word>);
    constexpr size_t kRoom = (kBytes + kPage - 1) / kPage * kPage;
    void* const memory = mmap(nullptr, kRoom + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, kRoom, PROT_READ | PROT_WRITE) != 0) return nullptr;
    auto* const begin = static_cast<char*>(memory) + kRoom - kBytes;
    for (unsigned i = 0; i < kSobolDimensions; ++i) {
      const SobolVectors<Word> vectors = sobol_vectors<Word>(i);
      std::memcpy(begin + i * sizeof vectors, vectors.data(), sizeof vectors);
    }
    GpuProcess& process = GpuProcess::get();
    const std::lock_guard lock(process.lock());
    process.log().note("cuRAND's direction vectors are there for the first 21 dimensions");
    return begin;
  }();
  return table;
}

constexpr int kJoeKuo32 = 101, kJoeKuo64 = 103, kOutOfRange = 104;  // sets of vectors, and a status

template <class Word>
int direction_vectors(const char* name, void* vectors, int set, int joe_kuo) {
  if (auto* const call = nvidias<int(void*, int)>(name, set != joe_kuo)) return call(vectors, set);
  if (set != joe_kuo) return 204;  // CURAND_STATUS_ARCH_MISMATCH, as of other calls that are not there
  if (vectors == nullptr) return kOutOfRange;
  void* const table = known_vectors<Word>();
  std::memcpy(vectors, &table, sizeof table);
  return table == nullptr ? 102 : 0;  // CURAND_STATUS_ALLOCATION_FAILED
}

constexpr int kArchMismatch = 204;  // CURAND_STATUS_ARCH_MISMATCH, as of other calls that are not there

}  // namespace

ASSAY_EXPORTED int curandGetDirectionVectors32(void* vectors, int set) {
  return direction_vectors<uint32_t>("curandGetDirectionVectors32", vectors, set, kJoeKuo32);
}
ASSAY_EXPORTED int curandGetDirectionVectors64(void* vectors, int set) {
  return direction_vectors<uint64_t>("curandGetDirectionVectors64", vectors, set, kJoeKuo64);
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
