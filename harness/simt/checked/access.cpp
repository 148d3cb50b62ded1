// Where an access lies, whether it may, and which cells it touches.
#include <fmt/format.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>

#include "harness/simt/checked/detector.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt::checked {
namespace {

struct Range {
  uintptr_t begin = 0, bytes = 0;
  bool holds(uintptr_t address) const { return address - begin < bytes; }
};

// The stack of the OS thread that runs the launch: a kernel's arguments lie there.
Range host_stack() {
  thread_local const Range range = [] {
    pthread_attr_t attributes;
    void* begin = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &begin, &bytes);
      pthread_attr_destroy(&attributes);
    }
    return Range{reinterpret_cast<uintptr_t>(begin), bytes};
  }();
  return range;
}

bool in_a_library(uintptr_t address) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* data) {
               const uintptr_t at = *static_cast<uintptr_t*>(data);
               for (size_t i = 0; i < info->dlpi_phnum; ++i) {
                 const auto& segment = info->dlpi_phdr[i];
                 if (segment.p_type == PT_LOAD && Range{info->dlpi_addr + segment.p_vaddr, segment.p_memsz}.holds(at))
                   return 1;
               }
               return 0;
             },
             &address) != 0;
}

const void* key(uintptr_t number) { return reinterpret_cast<const void*>(number); }

constexpr uintptr_t kOutsidePage = 4096;

}  // namespace

void Detector::check(Now now) {
  if (!may(now)) return;
  if (statistics_ != nullptr)
    statistics_->access(now.me, now.address, now.bytes, now.access, now.space == Space::shared, now.pc);
  if (now.compares) compared_.insert(now.address);
  const uintptr_t end = now.address + now.bytes;
  for (now.cell = now.address & ~uintptr_t{3}; now.cell < end; now.cell += 4) {
    uint32_t mask = 0xf;
    if (now.cell < now.address) mask &= 0xfu << (now.address - now.cell);
    if (now.cell + 4 > end) mask &= 0xfu >> (now.cell + 4 - end);
    Cell& cell = now.space == Space::shared   ? shared_->cell(now.cell)
                 : now.space == Space::device ? arena.cell(now.cell)
                                              : outside_cell(now.cell);
    check_cell(now, cell, mask);
  }
  if (now.access == Access::atomic) clocks_.atomic(now.me, now.address);
}

// Finds the memory's kind; false when there is nothing (more) to check.
bool Detector::may(Now& now) {
  if (shared_->holds(now.address)) {
    if (shared_->foreign(now.address)) return false;
    now.space = Space::shared;
  } else if (arena.holds(now.address)) {
    now.space = Space::device;
  } else if (!may_outside(now)) {
    return false;
  }
  // Plain accesses have been looked at already, by -fsanitize=alignment.
  if (checks.misaligned && now.access == Access::atomic && (now.address & (now.bytes - 1)) != 0)
    report(Kind::misaligned, now,
           fmt::format("whose address is no multiple of {}; a GPU stops the kernel here", now.bytes));
  if (now.space == Space::shared) {
    if (shared_->addressable(now.address, now.bytes)) return true;
    const SharedArray* const array = shared_->nearest(now.address);
    if (checks.bounds)
      report(Kind::out_of_bounds, now,
             array == nullptr
                 ? std::string("outside all arrays")
                 : fmt::format("but the array has {} bytes and this is byte {}; check the index against the "
                               "size, or the launch's shared memory against what the kernel uses",
                               array->bytes, now.address - array->address));
    return false;
  }
  if (now.space == Space::device) {
    const Placed* const placed = arena.nearest(now.address);
    if (placed == nullptr) return false;
    const Buffer& buffer = placed->buffer;
    if (now.address >= placed->address && now.address + now.bytes <= placed->address + buffer.bytes) return true;
    Now outside = now;  // an access that begins inside is known by its first element outside
    const uintptr_t end = placed->address + buffer.bytes;
    if (now.address >= placed->address && now.address < end) outside.address = end;
    if (checks.bounds)
      report(Kind::out_of_bounds, outside,
             fmt::format("but the buffer has {} elements; a check of the index against the size usually fixes it",
                         buffer.bytes / buffer.element_bytes));
    return false;
  }
  return true;
}

bool Detector::may_outside(const Now& now) {
  Worker& worker = this_worker();
  if (worker.stacks.holding(key(now.address)) >= 0) {
    const auto [base, bytes] = worker.stacks.range();
    hook_state.stacks = reinterpret_cast<uintptr_t>(base);
    hook_state.stacks_bytes = bytes;
    return false;
  }
  if (host_stack().holds(now.address)) return false;
  if (arena.empty() || !checks.bounds || outside_pages_.contains(now.address / kOutsidePage) ||
      in_a_library(now.address))
    return true;
  // Whatever is here, it is not the device's: the access itself may end the process.
  stop_launch(Kind::out_of_bounds,
              fmt::format("{} of {} bytes at {}, which is in no buffer; a wild index or a null pointer",
                          now.access == Access::read ? "read" : "write", now.bytes, source_line(now.pc)));
}

Cell& Detector::outside_cell(uintptr_t address) {
  auto& page = outside_pages_[address / kOutsidePage];
  if (page == nullptr) page = std::make_unique<Cell[]>(kOutsidePage / 4);
  return page[address % kOutsidePage / 4];
}

void Detector::check_cell(const Now& now, Cell& cell, uint32_t byte_mask) {
  if (is_copying(cell.write)) {
    if (tick_of(cell.write) >= block_) return check_copying(now, cell);
    cell = {};  // of an earlier block, which has dropped it
  }
  if (byte_mask == 0xf && !is_half(cell.write)) return check_word(now, cell);
  if (!is_half(cell.write)) split(now, cell);
  if ((byte_mask & 3) != 0) check_half(now, cell.write, byte_mask & 3);
  if ((byte_mask & 12) != 0) check_half(now, cell.read, byte_mask >> 2);
  if (byte_mask == 0xf && now.access == Access::write) unite(now, cell);
}

void Detector::index_out_of_bounds(const void* pc, uint32_t thread, const char* type, uint64_t index) {
  if (!checks.bounds || !log_.is_new(Kind::out_of_bounds, pc, nullptr, type)) return;
  Report r{.kind = Kind::out_of_bounds, .me = {}, .earlier = {}, .place = {}, .what = {}};
  r.me = {.pc = pc, .block = block_number_, .thread = thread};
  r.place = fmt::format("index {} of {}", static_cast<int64_t>(index), type);
  r.what = "which is outside the array; it may hit another row of the same array, where no other check sees it";
  log_.add(std::move(r));
}

void Detector::pointer_misaligned(Now now, const char* type) {
  if (!checks.misaligned || now.address % now.bytes == 0) return;
  if (shared_->holds(now.address))
    now.space = Space::shared;
  else if (arena.holds(now.address))
    now.space = Space::device;
  const std::string what = fmt::format(
      "through a pointer to {}, whose address is no multiple of {}; a GPU stops the kernel here. Start the vector part "
      "of "
      "a row at an aligned element, or read single elements",
      type, now.bytes);
  // Instructions for 16 bytes and more trap on a CPU too.
  if (now.bytes >= 16)
    stop_launch(Kind::misaligned,
                fmt::format("{}: {} ({}) {}", place(now), now.access == Access::read ? "read" : "write",
                            source_line(now.pc), what));
  report(Kind::misaligned, now, what);
}

void Detector::report(Kind kind, const Now& now, const std::string& what, const void* detail) {
  if (!log_.is_new(kind, now.pc, nullptr, detail)) return;
  Report r{.kind = kind, .me = {}, .earlier = {}, .place = place(now), .what = what};
  r.me = {.pc = now.pc, .access = now.access, .block = block_number_, .thread = now.me};
  log_.add(std::move(r));
}

// "shared tile[33]", "dx[1024]": the index counts elements of the buffer, or of the size of the access.
std::string Detector::place(const Now& now) const {
  if (now.space == Space::shared) {
    const SharedArray* const array = shared_->nearest(now.address);
    if (array == nullptr) return "shared memory";
    return fmt::format("shared {}[{}]", array->name, (now.address - array->address) / now.bytes);
  }
  if (now.space == Space::device) {
    const Placed* const placed = arena.nearest(now.address);
    if (placed == nullptr) return "device memory";
    const auto offset = static_cast<int64_t>(now.address - placed->address);
    const auto size = static_cast<int64_t>(placed->buffer.element_bytes);
    return fmt::format("{}[{}]", placed->buffer.name, (offset - (offset < 0 ? size - 1 : 0)) / size);
  }
  return "memory outside the buffers";
}

}  // namespace assay::simt::checked
