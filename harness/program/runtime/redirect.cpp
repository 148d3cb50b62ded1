// Functions are found by the files' own symbol tables, because nothing of a linked runtime is exported.
#include "harness/program/runtime/redirect.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/program/elf_file.h"

namespace assay::program {
namespace {

// The functions of the CUDA runtime and of its libraries that the file's own symbol table names.
std::vector<ElfFunction> runtime_functions(const std::string& path) {
  std::vector<ElfFunction> functions = ElfFile(path).functions(SHT_SYMTAB);
  std::erase_if(functions, [](const ElfFunction& each) {
    return !each.name.starts_with("cuda") && !each.name.starts_with("__cuda") && !each.name.starts_with("cublas") &&
           !each.name.starts_with("curand") && !each.name.starts_with("cusparse");
  });
  return functions;
}

// jmp *0(%rip), and the address behind it.
void make_jump(uintptr_t at, const void* target) {
  constexpr size_t kBytes = 14, kPage = 4096;
  unsigned char code[kBytes] = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(code + 6, &target, sizeof target);
  auto* const page = reinterpret_cast<void*>(at & ~(kPage - 1));
  const size_t bytes = (at + kBytes) - (at & ~(kPage - 1));
  if (mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  std::memcpy(reinterpret_cast<void*>(at), code, kBytes);
  mprotect(page, bytes, PROT_READ | PROT_EXEC);
}

struct Loaded {
  std::string path;
  uintptr_t at;
};

}  // namespace

void redirect_linked_runtimes() {
  std::vector<Loaded> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* all) {
        const std::string path = info->dlpi_name;  // empty: the program itself
        static_cast<std::vector<Loaded>*>(all)->push_back({path.empty() ? "/proc/self/exe" : path, info->dlpi_addr});
        return 0;
      },
      &files);
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&redirect_linked_runtimes), &own);
  for (const Loaded& file : files)
    if (file.at != reinterpret_cast<uintptr_t>(own.dli_fbase)) redirect_linked_runtime(file.path, file.at);
}

void redirect_linked_runtime(const std::string& path, uintptr_t loaded_at) {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&redirect_linked_runtime), &own);
  void* const library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  for (const ElfFunction& function : runtime_functions(path))
    if (const void* const ours = dlsym(library, function.name.c_str())) make_jump(loaded_at + function.value, ours);
}

bool has_linked_runtime(const std::string& path) {
  return std::ranges::any_of(runtime_functions(path),
                             [](const ElfFunction& each) { return each.name == "__cudaRegisterFatBinary"; });
}

}  // namespace assay::program
