// Names kernels from the symbol tables of their modules.
//
// Modules hide their symbols, so the dynamic linker cannot name them; the full table in the file can. It is read once
// for each kernel, at its first launch, because the name must be at hand in a signal handler.
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

// The symbol at `offset` from the module's load address, or "". `file` holds a whole ELF file.
std::string find_symbol(const char* file, size_t bytes, uint64_t offset) {
  const auto* const elf = reinterpret_cast<const ElfW(Ehdr)*>(file);
  if (bytes < sizeof *elf || elf->e_shoff == 0 || elf->e_shoff + elf->e_shnum * sizeof(ElfW(Shdr)) > bytes) return "";
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file + elf->e_shoff);
  for (size_t i = 0; i < elf->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(file + sections[i].sh_offset);
    const char* const names = file + sections[sections[i].sh_link].sh_offset;
    for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s)
      if (ELF64_ST_TYPE(symbols[s].st_info) == STT_FUNC && symbols[s].st_value == offset)
        return names + symbols[s].st_name;
  }
  return "";
}

std::string mangled_name(const void* function) {
  Dl_info module{};
  if (dladdr(function, &module) == 0 || module.dli_fname == nullptr) return "";
  const int fd = open(module.dli_fname, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  struct stat info {};
  std::string name;
  if (fstat(fd, &info) == 0 && info.st_size > 0) {
    const auto bytes = static_cast<size_t>(info.st_size);
    void* const file = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file != MAP_FAILED) {
      const auto address = reinterpret_cast<uintptr_t>(function), base = reinterpret_cast<uintptr_t>(module.dli_fbase);
      name = find_symbol(static_cast<const char*>(file), bytes, address - base);
      if (name.empty()) name = find_symbol(static_cast<const char*>(file), bytes, address);  // not relocatable
      munmap(file, bytes);
    }
  }
  close(fd);
  return name;
}

// "void scale<float>(float*, int)" -> "scale<float>": people know their kernels by name, not by signature.
std::string short_name(const std::string& mangled) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : mangled;
  std::free(demangled);
  if (const size_t anonymous = name.find("(anonymous namespace)::"); anonymous != std::string::npos)
    name.erase(anonymous, sizeof "(anonymous namespace)::" - 1);
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth == 0 && name[i] == ' ') begin = i + 1;
    if (depth == 0 && name[i] == '(') return name.substr(begin, i - begin);
  }
  return name;
}

}  // namespace

const char* symbol_name(const void* function) {
  static std::mutex mutex;
  static std::map<const void*, std::string> names;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = names.try_emplace(function);
  if (is_new) {
    const std::string mangled = mangled_name(function);
    entry->second = mangled.empty() ? fmt::format("at {}", function) : short_name(mangled);
  }
  return entry->second.c_str();
}

}  // namespace assay::simt
