// Reads a module's list of shared arrays, and keeps their shadow.
#include "harness/simt/checked/shared_memory.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>

#include "harness/simt/include/simt/limits.h"
#include "harness/simt/runtime/check.h"

namespace assay::simt::checked {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};

// "softmax(float*)::tile" -> "tile". The text behind a dot is the compiler's, or names the front end of a kernel.
std::string last_name(const std::string& symbol) {
  const std::string mangled = symbol.substr(0, symbol.find('.', 1));
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : mangled;
  std::free(demangled);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// Keyed by the address where a module's shared memory begins.
std::map<uintptr_t, std::unique_ptr<SharedMemory>>& all_modules() {
  static std::map<uintptr_t, std::unique_ptr<SharedMemory>> all;
  return all;
}

std::map<uintptr_t, uintptr_t>& all_constants() {  // end by begin
  static std::map<uintptr_t, uintptr_t> all;
  return all;
}

}  // namespace

void note_constants(const Module& module) {
  if (module.constants != module.constants_end)
    all_constants()[number(module.constants)] = number(module.constants_end);
}

bool is_constant(uintptr_t address) {
  const auto after = all_constants().upper_bound(address);
  return after != all_constants().begin() && address < std::prev(after)->second;
}

uint64_t SharedMemory::last_tick = 1;

SharedMemory& SharedMemory::of(const Module& module) {
  auto& memory = all_modules()[number(module.shared)];
  if (memory == nullptr) memory.reset(new SharedMemory(module));
  return *memory;
}

SharedMemory::SharedMemory(const Module& module)
    : base_(number(module.shared) & ~uintptr_t{63}), bytes_(number(module.shared_end) - base_) {
  void* const memory = mmap(nullptr, (bytes_ + 3) / 4 * sizeof(Cell), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SIMT_CHECK(memory != MAP_FAILED, "no memory for the shadow of shared memory");
  cells_ = static_cast<Cell*>(memory);
  dynamic_ = number(module.dynamic);
  arrays_.push_back({dynamic_, 0, "dynamic"});
  std::vector<SharedArray> marks;
  for (const SharedArrayFacts* array = module.arrays; array != module.arrays_end; ++array)
    (array->name == nullptr ? marks : arrays_)
        .push_back({number(array->address), array->bytes, array->name == nullptr ? "" : last_name(array->name)});
  std::sort(arrays_.begin(), arrays_.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  uintptr_t end = base_;
  for (const SharedArray& array : arrays_) {
    close(end, array.address);
    end = array.address + array.bytes;
    open(end & ~uintptr_t{3}, end);  // the rest of it is new, as the memory of the shadow is
  }
  close(end, base_ + bytes_);
  for (const SharedArray& mark : marks)
    for (size_t i = 0; i < mark.bytes; i += 4) cell(mark.address + i) = {kForeign, kForeign};
}

// Arrays begin at multiples of 4. The last bytes of one may share a cell with nothing.
void SharedMemory::open(uintptr_t begin, uintptr_t end) {
  for (uintptr_t at = begin; at < end; at += 4) {
    const uintptr_t left = end - at;
    cell(at) = left >= 4 ? Cell{} : Cell{pack({}), left == 3 ? pack({}) : kUnaddressable};
  }
}

// The cell in which an array ends stays its own.
void SharedMemory::close(uintptr_t begin, uintptr_t end) {
  for (uintptr_t at = (begin + 3) & ~uintptr_t{3}; at < end; at += 4) cell(at) = {kUnaddressable, kUnaddressable};
}

void SharedMemory::enter(HookState& state, size_t dynamic_bytes) {
  if (dynamic_bytes != dynamic_bytes_) {
    open(dynamic_ + (std::min(dynamic_bytes, dynamic_bytes_) & ~size_t{3}), dynamic_ + dynamic_bytes);
    close(dynamic_ + dynamic_bytes, dynamic_ + dynamic_bytes_);
    for (SharedArray& array : arrays_)
      if (array.address == dynamic_) array.bytes = dynamic_bytes;
    dynamic_bytes_ = dynamic_bytes;
  }
  state.shared = base_;
  state.shared_bytes = bytes_;
  state.shared_cells = cells_;
}

bool SharedMemory::addressable(uintptr_t address, size_t bytes) const {
  const SharedArray* const array = nearest(address);
  if (array == nullptr) return false;
  const uintptr_t end = array->address + array->bytes;
  return address <= end && bytes <= end - address;
}

const SharedArray* SharedMemory::nearest(uintptr_t address) const {
  const auto after = std::upper_bound(arrays_.begin(), arrays_.end(), address,
                                      [](uintptr_t a, const SharedArray& array) { return a < array.address; });
  return after == arrays_.begin() ? nullptr : &*(after - 1);
}

void SharedMemory::forget_records(uint64_t block) {
  for (const auto& [begin, memory] : all_modules()) memory->forget(memory.get() == this ? block : kNever);
}

void SharedMemory::forget(uint64_t block) {
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
