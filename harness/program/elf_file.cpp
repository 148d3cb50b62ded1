// The file is mapped; every offset in it is compared with its size.
#include "harness/program/elf_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

namespace assay {

ElfFile::ElfFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe would wait
  if (file < 0) return;
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    void* const memory = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) bytes_ = {static_cast<const char*>(memory), static_cast<size_t>(info.st_size)};
  }
  close(file);
  header_ = records<Elf64_Ehdr>(0, 1);
  if (header_.empty() || std::memcmp(header_[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header_[0].e_ident[EI_CLASS] != ELFCLASS64)
    header_.clear();
  else
    sections_ = records<Elf64_Shdr>(header_[0].e_shoff, header_[0].e_shnum);
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::vector<ElfFunction> ElfFile::functions(uint32_t table) const {
  std::vector<ElfFunction> found;
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != table || section.sh_link >= sections_.size()) continue;
    const uint64_t names = sections_[section.sh_link].sh_offset;
    for (const auto& symbol : records<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)))
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
        found.push_back({std::string(text_at(names + symbol.st_name)), symbol.st_value});
  }
  return found;
}

std::string ElfFile::section(std::string_view name) const {
  std::string all;
  if (header_.empty() || header_[0].e_shstrndx >= sections_.size()) return all;
  const uint64_t names = sections_[header_[0].e_shstrndx].sh_offset;
  for (const Elf64_Shdr& section : sections_)
    if (section.sh_type != SHT_NOBITS && text_at(names + section.sh_name) == name &&
        section.sh_offset <= bytes_.size() && section.sh_size <= bytes_.size() - section.sh_offset)
      all += bytes_.substr(section.sh_offset, section.sh_size);
  return all;
}

uint64_t ElfFile::place_of_tag(int64_t tag) const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_DYNAMIC) continue;
    const auto entries = records<Elf64_Dyn>(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn));
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i].d_tag == tag) return section.sh_offset + i * sizeof(Elf64_Dyn) + offsetof(Elf64_Dyn, d_un);
  }
  return 0;
}

}  // namespace assay
