// Symbol tables are read from the files, because nothing of a linked runtime is exported.
#include "harness/program/runtime/redirect.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace assay::program {
namespace {

// A file in memory, to be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat info {};
    if (fstat(file, &info) == 0 && info.st_size > 0) {
      void* const memory = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), static_cast<size_t>(info.st_size)};
    }
    close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // `count` records at an offset; nothing where the file has not so many.
  template <class T>
  std::vector<T> records(uint64_t offset, uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return {};
    std::vector<T> all(count);
    std::memcpy(all.data(), bytes_.data() + offset, count * sizeof(T));
    return all;
  }
  std::string_view text_at(uint64_t offset) const {
    return offset < bytes_.size() ? bytes_.substr(offset, bytes_.find('\0', offset) - offset) : std::string_view();
  }

 private:
  std::string_view bytes_;
};

struct Function {
  std::string name;
  uintptr_t address = 0;  // in this process
};

// The functions that the file's own symbol table names, of the CUDA runtime and of its libraries.
std::vector<Function> runtime_functions(const std::string& path, uintptr_t loaded_at) {
  const MappedFile file(path);
  const auto header = file.records<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections = file.records<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  std::vector<Function> found;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const uint64_t names = sections[section.sh_link].sh_offset;
    for (const auto& symbol : file.records<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      const std::string_view name = file.text_at(names + symbol.st_name);
      if (name.starts_with("cuda") || name.starts_with("__cuda") || name.starts_with("cublas") ||
          name.starts_with("curand"))
        found.push_back({std::string(name), loaded_at + symbol.st_value});
    }
  }
  return found;
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
  void* const library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  for (const Loaded& file : files) {
    if (file.at == reinterpret_cast<uintptr_t>(own.dli_fbase)) continue;
    for (const Function& function : runtime_functions(file.path, file.at))
      if (const void* const ours = dlsym(library, function.name.c_str())) make_jump(function.address, ours);
  }
}

}  // namespace assay::program
