// Finds the shared arrays of the loaded modules, and keeps their shadow.
#include "harness/simt/checked/shared_memory.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/executor.h"

extern "C" thread_local char assay_simt_dynamic_shared[];

namespace assay::simt::checked {
namespace {

constexpr size_t kStaticTlsMax = size_t{64} << 20;  // farther below the thread pointer lies nothing of ours
// "Has the array been constructed": g++ makes such variables for arrays of classes, 16-bit floats too.
constexpr const char* kGuardPrefix = "_ZGV";
constexpr const char* kModuleMark = "assay_checked_module";

// "softmax(float*)::tile" -> "tile"
std::string last_name(const char* mangled) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : mangled;
  std::free(demangled);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat info {};
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
      void* const memory = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory != MAP_FAILED) data = static_cast<const char*>(memory), bytes = static_cast<size_t>(info.st_size);
    }
    close(fd);
  }
  ~MappedFile() {
    if (data != nullptr) munmap(const_cast<char*>(data), bytes);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data = nullptr;
  size_t bytes = 0;
};

template <class Visit>
void each_symbol(const MappedFile& file, Visit visit) {
  const auto* const elf = reinterpret_cast<const ElfW(Ehdr)*>(file.data);
  if (file.bytes < sizeof *elf || elf->e_shoff == 0 || elf->e_shoff + elf->e_shnum * sizeof(ElfW(Shdr)) > file.bytes)
    return;
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file.data + elf->e_shoff);
  for (size_t i = 0; i < elf->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(file.data + sections[i].sh_offset);
    const char* const names = file.data + sections[sections[i].sh_link].sh_offset;
    for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s) visit(symbols[s], names + symbols[s].st_name);
  }
}

struct Library {
  std::string path;
  uintptr_t thread_locals;
  size_t bytes;
};

// What resolves an access to a thread-local; glibc's own name for it and for its argument.
struct ThreadLocal {
  size_t module, offset;
};
extern "C" void* __tls_get_addr(ThreadLocal*);

// Where the calling thread's thread-locals of a library begin. Of one that was loaded after the thread began, the
// loader does not say before the thread has asked for them once, which kernels never do: theirs are at fixed offsets.
uintptr_t thread_locals_of(const dl_phdr_info& library) {
  if (library.dlpi_tls_data != nullptr) return reinterpret_cast<uintptr_t>(library.dlpi_tls_data);
  ThreadLocal first{library.dlpi_tls_modid, 0};
  return first.module == 0 ? 0 : reinterpret_cast<uintptr_t>(__tls_get_addr(&first));
}

// The libraries that have thread-locals in the block below the thread pointer.
std::vector<Library> libraries(uint64_t* added) {
  struct Search {
    std::vector<Library> found;
    uint64_t added = 0;
  } search;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        s.added = info->dlpi_adds;
        const auto pointer = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
        const auto locals = thread_locals_of(*info);
        if (locals == 0 || locals >= pointer || pointer - locals > kStaticTlsMax) return 0;
        for (size_t i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_TLS)
            s.found.push_back(
                {info->dlpi_name[0] == 0 ? "/proc/self/exe" : info->dlpi_name, locals, info->dlpi_phdr[i].p_memsz});
        return 0;
      },
      &search);
  *added = search.added;
  return search.found;
}

}  // namespace

SharedMemory& SharedMemory::of_this_os_thread() {
  thread_local SharedMemory memory;
  return memory;
}

SharedMemory::SharedMemory() {
  const auto end = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
  base_ = end;
  const std::vector<Library> all = libraries(&libraries_);
  for (const Library& library : all) base_ = std::min(base_, library.thread_locals & ~uintptr_t{63});
  bytes_ = end - base_;
  void* const memory = mmap(nullptr, bytes_ / 4 * sizeof(Cell), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SIMT_CHECK(memory != MAP_FAILED, "no memory for the shadow of shared memory");
  cells_ = static_cast<Cell*>(memory);
  std::fill_n(cells_, bytes_ / 4, Cell{kForeign, kForeign});
  addressable_.assign(bytes_, false);
  for (const Library& library : all) add_module(library.path.c_str(), library.thread_locals, library.bytes);
  const auto dynamic = reinterpret_cast<uintptr_t>(assay_simt_dynamic_shared);
  arrays_.push_back({dynamic, 0, "dynamic"});
  set_addressable(dynamic, kSharedBytesMax, false);
  std::sort(arrays_.begin(), arrays_.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
}

void SharedMemory::add_module(const char* path, uintptr_t thread_locals, size_t bytes) {
  const MappedFile file(path);
  if (file.data == nullptr) return;
  bool is_checked = false;
  each_symbol(file, [&](const ElfW(Sym) & symbol, const char* name) {
    is_checked = is_checked || (symbol.st_shndx != SHN_UNDEF && std::strcmp(name, kModuleMark) == 0);
  });
  if (!is_checked) return;
  set_addressable(thread_locals, bytes, false);
  each_symbol(file, [&](const ElfW(Sym) & symbol, const char* name) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) return;
    if (std::strncmp(name, kGuardPrefix, std::strlen(kGuardPrefix)) == 0) {
      for (size_t i = 0; i < symbol.st_size; i += 4) cell(thread_locals + symbol.st_value + i) = {kForeign, kForeign};
      return;
    }
    arrays_.push_back({thread_locals + symbol.st_value, symbol.st_size, last_name(name)});
    set_addressable(thread_locals + symbol.st_value, symbol.st_size, true);
  });
}

void SharedMemory::set_addressable(uintptr_t address, size_t bytes, bool value) {
  for (size_t i = 0; i < bytes; ++i) addressable_[address - base_ + i] = value;
  mark(address, bytes);
}

// Cells of which every byte is addressable start empty; the others turn the fast path away.
void SharedMemory::mark(uintptr_t address, size_t bytes) {
  for (uintptr_t at = address & ~uintptr_t{3}; at < address + bytes; at += 4) {
    const auto first = addressable_.begin() + static_cast<ptrdiff_t>(at - base_);
    const auto count = std::count(first, first + 4, true);
    if (count == 0 || count == 4)
      cell(at) = count == 4 ? Cell{} : Cell{kUnaddressable, kUnaddressable};
    else
      cell(at) = {pack({}), count == 3 ? pack({}) : kUnaddressable};
  }
}

void SharedMemory::enter(HookState& state, size_t dynamic_bytes) {
  if (dynamic_bytes != dynamic_bytes_) {
    const auto dynamic = reinterpret_cast<uintptr_t>(assay_simt_dynamic_shared);
    const size_t low = std::min(dynamic_bytes, dynamic_bytes_), high = std::max(dynamic_bytes, dynamic_bytes_);
    set_addressable(dynamic + low, high - low, dynamic_bytes > dynamic_bytes_);
    for (SharedArray& array : arrays_)
      if (array.address == dynamic) array.bytes = dynamic_bytes;
    dynamic_bytes_ = dynamic_bytes;
  }
  state.shared = base_;
  state.shared_bytes = bytes_;
  state.shared_cells = cells_;
}

bool SharedMemory::addressable(uintptr_t address, size_t bytes) const {
  for (size_t i = 0; i < bytes; ++i)
    if (address - base_ + i >= bytes_ || !addressable_[address - base_ + i]) return false;
  return true;
}

const SharedArray* SharedMemory::nearest(uintptr_t address) const {
  const auto after = std::upper_bound(arrays_.begin(), arrays_.end(), address,
                                      [](uintptr_t a, const SharedArray& array) { return a < array.address; });
  return after == arrays_.begin() ? nullptr : &*(after - 1);
}

void SharedMemory::forget_records(uint64_t block) {
  for (const SharedArray& array : arrays_)
    for (uintptr_t at = array.address & ~uintptr_t{3}; at < array.address + array.bytes; at += 4) {
      Cell& c = cell(at);
      if (is_half(c.write)) {
        for (uint64_t* word : {&c.write, &c.read}) {
          if (!is_half(*word)) continue;
          const Half half = unpack(*word);
          *word = pack({.tick = 1, .init = half.tick >= block ? half.init : 0});
        }
      } else {
        c = {tick_of(c.write) >= block ? kOldWrite : 0, 0};
      }
    }
}

}  // namespace assay::simt::checked
