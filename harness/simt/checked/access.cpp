// Decides where an access lies, whether it may, and which cells it touches.
#include <fmt/format.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/outside_rule.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/check.h"
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

constexpr uintptr_t kOutsidePage = kPageBytes;
constexpr size_t kLargestAccess = 16;  // of one instruction; the others copy or fill

}  // namespace

OutsideRule outside_rule = nullptr;

Space Monitor::space_of(uintptr_t address) const {
  if (shared_->holds(address)) return Space::shared;
  return arena.holds(address) ? Space::device : Space::outside;
}

bool Monitor::check(Now now) {
  settle_stores();
  // A tick of its own keeps what a thread did before it took a lock apart from what it does in there
  // (unfenced_locks.h).
  if (now.compares && hears(Event::atomic)) advance();
  if (const Verdict verdict = may(now); verdict != Verdict::watched) return verdict == Verdict::unwatched;
  if (footprint.is_on() && now.space != Space::shared) footprint.access(now);
  for (Listener* l : hearing(Event::every_access)) l->every_access(now);
  const uintptr_t end = now.address + now.bytes;
  for (now.cell = now.address & ~uintptr_t{3}; now.cell < end; now.cell += 4) {
    now.mask = 0xf;
    if (now.cell < now.address) now.mask &= 0xfu << (now.address - now.cell);
    if (now.cell + 4 > end) now.mask &= 0xfu >> (now.cell + 4 - end);
    Cell& cell = now.space == Space::shared   ? shared_->cell(now.cell)
                 : now.space == Space::device ? arena.cell(now.cell)
                                              : outside_cell(now.cell);
    look_at(now, cell);
  }
  if (now.access == Access::atomic)
    for (Listener* l : hearing(Event::atomic)) l->atomic(now);
  return true;
}

// Source and destination may be the same: that is how compilers copy a structure to itself.
bool Monitor::check_copy(const Now& to, const Now& from, CopyKind kind) {
  const bool may_read = kind == CopyKind::fill || check(from);
  if (!check(to) || !may_read) return false;
  const uintptr_t apart = std::max(to.address, from.address) - std::min(to.address, from.address);
  if (kind != CopyKind::copy || apart == 0 || apart >= to.bytes) return true;
  Now now = to;
  now.space = space_of(to.address);
  for (Listener* l : hearing(Event::overlapping)) l->overlapping(now, from.address);
  return true;
}

// Finds the memory's kind.
Monitor::Verdict Monitor::may(Now& now) {
  now.space = space_of(now.address);
  if (now.space == Space::shared && shared_->foreign(now.address)) return Verdict::unwatched;
  if (now.space == Space::outside) {
    if (now.access != Access::read && is_constant(now.address)) {
      for (Listener* l : hearing(Event::constant_written)) l->constant_written(now);
      return Verdict::unwatched;
    }
    if (const Verdict verdict = may_outside(now); verdict != Verdict::watched) return verdict;
  }
  // Plain accesses have been looked at already, by -fsanitize=alignment.
  if (now.access == Access::atomic && (now.address & (now.bytes - 1)) != 0)
    for (Listener* l : hearing(Event::misaligned)) l->misaligned(now, nullptr);
  if (now.space == Space::shared) return may_in_shared(now);
  return now.space == Space::outside ? Verdict::watched : may_in_device(now);
}

Monitor::Verdict Monitor::may_in_shared(const Now& now) {
  if (shared_->addressable(now.address, now.bytes)) return Verdict::watched;
  const SharedArray* const array = shared_->nearest(now.address);
  Now outside = now;  // an access that begins inside is known by its first byte outside
  if (array != nullptr) outside.address = std::max(now.address, array->address + array->bytes);
  for (Listener* l : hearing(Event::stray)) l->stray(outside, {.array = array});
  return Verdict::stray;
}

Monitor::Verdict Monitor::may_in_device(const Now& now) {
  const Placed* const placed = arena.nearest(now.address);
  if (placed == nullptr) return Verdict::unwatched;
  if (placed->is_heap) return may_in_heap(now);
  const uintptr_t end = placed->address + placed->buffer.bytes;
  if (now.address >= placed->address && now.address < end && now.bytes <= end - now.address) return Verdict::watched;
  Now outside = now;  // an access that begins inside is known by its first element outside
  if (now.address >= placed->address && now.address < end) outside.address = end;
  for (Listener* l : hearing(Event::stray)) l->stray(outside, {.buffer = placed});
  return Verdict::stray;
}

Monitor::Verdict Monitor::may_outside(const Now& now) {
  Worker& worker = this_worker();
  if (worker.stacks.holding(key(now.address)) >= 0) {
    const auto [base, bytes] = worker.stacks.range();
    hook_state.stacks = reinterpret_cast<uintptr_t>(base);
    hook_state.stacks_bytes = bytes;
    return Verdict::unwatched;
  }
  const bool on_stack = host_stack().holds(now.address);
  const Outside known = outside_rule == nullptr
                            ? Outside::unknown
                            : outside_rule(now.address, reinterpret_cast<uintptr_t>(now.pc), on_stack);
  if (on_stack && known == Outside::unknown) return Verdict::unwatched;
  if (known == Outside::allowed || !hears(Event::wild) || outside_pages_.contains(now.address / kOutsidePage) ||
      (known == Outside::unknown && ((arena.empty() && outside_rule == nullptr) || in_a_library(now.address))))
    return Verdict::watched;
  for (Listener* l : hearing(Event::wild)) l->wild(now);
  return Verdict::watched;
}

Cell& Monitor::outside_cell(uintptr_t address) {
  auto& page = outside_pages_[address / kOutsidePage];
  if (page == nullptr) page = std::make_unique<Cell[]>(kOutsidePage / 4);
  return page[address % kOutsidePage / 4];
}

void Monitor::look_at(const Now& now, Cell& cell) {
  if (is_copying(cell.write)) {
    if (tick_of(cell.write) >= time_.block()) {
      const Copy copy{thread_of(cell.write), Records::pc_of(now, cell.read >> kTickShift & kSiteMask)};
      for (Listener* l : hearing(Event::while_copying)) l->while_copying(now, copy);
      return;
    }
    cell = {};  // of an earlier block, which has dropped it
  }
  const bool is_whole = now.mask == 0xf && !is_half(cell.write);
  if (!is_whole && footprint.is_on() && now.space != Space::shared) footprint.access_part(now, cell, time_.launch());
  if (is_whole) return look_at_records(now, cell);
  if (!is_half(cell.write)) records_.split(now, cell);
  if ((now.mask & 3) != 0) look_at_half(now, cell.write, 0);
  if ((now.mask & 12) != 0) look_at_half(now, cell.read, 2);
  if (now.mask == 0xf && now.access == Access::write) records_.unite(now, cell);
}

// `initialised`: somebody knows that it is, which these records do not.
void Monitor::look_at_records(const Now& now, Cell& cell, bool initialised) {
  if (!records_.settled(now, cell)) {
    History history = records_.history(now, cell);
    history.uninitialised = history.uninitialised && !initialised;
    for (Listener* l : hearing(Event::unsettled)) l->unsettled(now, history);
  }
  if (now.access == Access::read && !hearing(Event::read_again).empty() && records_.drops_reader(now, cell)) {
    bool comes_after = false;
    const Past earlier{.exists = true, .tick = tick_of(cell.read), .thread = thread_of(cell.read)};
    for (Listener* l : hearing(Event::read_again)) l->read_again(now, earlier, comes_after);
    if (comes_after) cell.read = 0;
  }
  records_.note(now, cell);
}

// Records of a byte that is accessed alone, which a half cannot tell from its neighbour. Bytes far apart may have one
// place between them, where the last one stays: a race may be missed then, and none is reported wrongly.
Cell& Monitor::byte_cell(uintptr_t address) {
  if (byte_records_ == nullptr)
    byte_records_.reset(static_cast<ByteRecord*>(std::calloc(kByteRecords, sizeof(ByteRecord))));
  SIMT_CHECK(byte_records_ != nullptr, "no memory for the records of bytes");
  const uintptr_t region = address / kByteRecords;
  ByteRecord& record = byte_records_[(address + region * 0x9e3779b1) % kByteRecords];
  if (record.address != address) record = {address, {}};
  return record.cell;
}

void Monitor::look_at_half(Now now, uint64_t& word, unsigned shift) {
  now.mask &= 3u << shift;
  const uint32_t byte_mask = now.mask >> shift;
  const Half half = records_.half(now, word);
  const History history = records_.history(now, half, byte_mask);
  for (Listener* l : hearing(Event::unsettled)) l->unsettled(now, history);
  word = records_.note(now, half, byte_mask);
  if (byte_mask == 3) return;
  Cell& byte = byte_cell(now.cell + shift + byte_mask - 1);
  history.told_apart ? records_.note(now, byte) : look_at_records(now, byte, true);
}

void Monitor::index_out_of_bounds(const void* pc, uint32_t thread, const char* type, uint64_t index) {
  for (Listener* l : hearing(Event::index_outside)) l->index_outside(pc, thread, type, index);
}

void Monitor::pointer_misaligned(Now now, const char* type) {
  if (now.address % now.bytes == 0) return;
  // A thread's own array lies where the host's compiler puts it. Instructions for 16 bytes trap there all the same.
  if (now.bytes < 16 && this_worker().stacks.holding(key(now.address)) >= 0) return;
  now.space = space_of(now.address);
  for (Listener* l : hearing(Event::misaligned)) l->misaligned(now, type);
}

// "shared tile[33]", "dx[1024]": the index counts elements of the buffer, or of the size of the access.
std::string Monitor::place(const Now& now) const {
  if (now.space == Space::shared) {
    const SharedArray* const array = shared_->nearest(now.address);
    if (array == nullptr) return "shared memory";
    const uintptr_t at = now.address - array->address;
    if (now.bytes > kLargestAccess) return fmt::format("shared {}, byte {}", array->name, at);
    return fmt::format("shared {}[{}]", array->name, at / now.bytes);
  }
  if (now.space == Space::device) {
    const Placed* const placed = arena.nearest(now.address);
    if (placed == nullptr) return "device memory";
    if (placed->is_heap) {
      const HeapBlock* const block = device_heap().nearest(now.address);
      if (block == nullptr) return "the device's heap";
      return fmt::format("heap block of {} bytes, byte {}", block->bytes, now.address - block->address);
    }
    const auto offset = static_cast<int64_t>(now.address - placed->address);
    const auto size = static_cast<int64_t>(placed->buffer.element_bytes);
    if (size == 0) return fmt::format("{}, byte {}", placed->buffer.name, offset);
    return fmt::format("{}[{}]", placed->buffer.name, (offset - (offset < 0 ? size - 1 : 0)) / size);
  }
  return "memory outside the buffers";
}

}  // namespace assay::simt::checked
