// A file with machine code, read for its symbols and sections: what a runtime that is linked in exports nothing of, and
// what a library has before it is loaded.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct ElfFunction {
  std::string name;
  uint64_t value = 0;  // its address, from where the file is loaded
};

class ElfFile {
 public:
  // A file that is not there, or not of 64-bit ELF, has nothing in it.
  explicit ElfFile(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  bool is_shared_library() const { return !header_.empty() && header_[0].e_type == ET_DYN; }
  // The functions that it defines, by a table: SHT_SYMTAB has all and may be stripped, SHT_DYNSYM those that it
  // exports.
  std::vector<ElfFunction> functions(uint32_t table) const;
  // The bytes of all sections of that name.
  std::string section(std::string_view name) const;
  // Where in the file the value of a tag of the dynamic section lies; 0: it has none.
  uint64_t place_of_tag(int64_t tag) const;

 private:
  // `count` records at an offset; nothing where the file has not so many.
  template <class T>
  std::vector<T> records(uint64_t offset, uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return {};
    std::vector<T> all(count);
    if (count > 0) std::memcpy(all.data(), bytes_.data() + offset, count * sizeof(T));
    return all;
  }
  std::string_view text_at(uint64_t offset) const {
    return offset < bytes_.size() ? bytes_.substr(offset, bytes_.find('\0', offset) - offset) : std::string_view();
  }

  std::string_view bytes_;
  std::vector<Elf64_Ehdr> header_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace assay
