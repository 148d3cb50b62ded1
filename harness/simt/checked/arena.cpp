// Placing buffers, and the first state of their shadow.
#include "harness/simt/checked/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/device_heap.h"

namespace assay::simt::checked {
namespace {

// The addresses beside a case's buffers: an access may stray so far and still be known for a stray one. The shadow
// makes them five times as many.
constexpr size_t kUsualBytes = size_t{8} << 30;
constexpr size_t kLeastBytes = size_t{128} << 20;
constexpr size_t kSpareBytes = size_t{1} << 30;  // that the process should still have, beside more than the least
// Where the memory lies if nothing else does: processes that run the same launch then agree on its addresses. Nothing
// of Linux begins there, nor of the sanitizers.
constexpr uintptr_t kUsualBegin = uintptr_t{1} << 45;

size_t pages_of(size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// Large buffers and their shadow would spend their time in address translation, small ones in clearing 2 MB.
void use_large_pages(void* begin, size_t bytes) {
  constexpr size_t kLargePage = size_t{2} << 20;
  if (bytes >= 2 * kLargePage) static_cast<void>(madvise(begin, bytes, MADV_HUGEPAGE));
}

// `wanted`: taken if it is free.
void* reserve_addresses(size_t bytes, uintptr_t wanted = 0) {
  return mmap(reinterpret_cast<void*>(wanted), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool leaves_enough() {
  void* const spare = reserve_addresses(kSpareBytes);
  return spare != MAP_FAILED && munmap(spare, kSpareBytes) == 0;
}

}  // namespace

Arena::~Arena() { unmap(); }

void Arena::unmap() {
  if (bytes_ == 0) return;
  munmap(reinterpret_cast<void*>(base_), bytes_);
  munmap(cells_, bytes_ / 4 * sizeof(Cell));
  munmap(pages_, bytes_ >> kPageShift);
  bytes_ = 0;
}

bool Arena::map(size_t bytes, uintptr_t wanted) {
  const size_t sizes[] = {bytes, bytes / 4 * sizeof(Cell), bytes >> kPageShift};
  void* parts[3];
  for (size_t i = 0; i < 3; ++i) {
    parts[i] = reserve_addresses(sizes[i], i == 0 ? wanted : 0);
    if (parts[i] != MAP_FAILED) continue;
    while (i-- > 0) munmap(parts[i], sizes[i]);
    return false;
  }
  base_ = reinterpret_cast<uintptr_t>(parts[0]);
  cells_ = static_cast<Cell*>(parts[1]);
  pages_ = static_cast<Page*>(parts[2]);
  bytes_ = bytes;
  return true;
}

bool Arena::reserve(size_t buffers, size_t buffer_bytes) {
  const size_t need = 2 * buffer_bytes + (buffers + 2) * 2 * (kGapMin + kPageBytes) + DeviceHeap::kRegion;
  if (need <= bytes_) return true;
  unmap();
  const size_t least = std::bit_ceil(std::max(need, kLeastBytes));
  for (size_t bytes = std::max(least, kUsualBytes); bytes > least; bytes /= 2) {
    if (map(bytes, kUsualBegin) && leaves_enough()) return true;
    unmap();
  }
  return map(least, kUsualBegin);
}

bool Arena::reserve_at(uintptr_t begin, size_t bytes) {
  unmap();
  if (map(bytes, begin) && base_ == begin) return true;
  unmap();
  return false;
}

void* Arena::place(const Buffer& buffer, const void* values) {
  SIMT_CHECK(bytes_ != 0 || reserve(0, 0), "no address space for the memory of checked kernels (ulimit -v)");
  const size_t start = used_ + kGapMin;
  SIMT_CHECK(buffer.offset < kPageBytes &&
                 (buffer.offset == 0 || (buffer.element_bytes % 2 == 0 && buffer.offset % buffer.element_bytes == 0)),
             "an offset is within the first page, and of whole elements that fill halves of a cell");
  SIMT_CHECK(start + buffer.offset + 2 * buffer.bytes + kGapMin < bytes_,
             "room is reserved for all buffers of a case together");
  used_ = pages_of(start + buffer.offset + buffer.bytes + std::max(kGapMin, buffer.bytes));
  const Placed& placed = placed_.emplace_back(Placed{buffer, base_ + start + buffer.offset});
  fill(placed, values);
  return reinterpret_cast<void*>(placed.address);
}

void Arena::align_next(size_t alignment) {
  const uintptr_t next = base_ + used_ + kGapMin;
  used_ += (next + alignment - 1) / alignment * alignment - next;
}

void* Arena::place_at(uintptr_t address, const Buffer& buffer) {
  const size_t start = address - base_ - buffer.offset;
  SIMT_CHECK(start >= used_ && start + buffer.offset + buffer.bytes <= bytes_, "addresses ascend, and are reserved");
  used_ = pages_of(start + buffer.offset + buffer.bytes);
  const Placed& placed = placed_.emplace_back(Placed{buffer, address});
  fill(placed, nullptr);
  return reinterpret_cast<void*>(address);
}

// The contents of a buffer and the first state of its shadow.
void Arena::fill(const Placed& placed, const void* values) {
  const Buffer& buffer = placed.buffer;
  if (buffer.bytes == 0) return;
  auto* const memory = reinterpret_cast<void*>(placed.address);
  const size_t start = placed.address - base_ - buffer.offset;
  use_large_pages(memory, buffer.bytes);
  if (values != nullptr)
    std::memcpy(memory, values, buffer.bytes);
  else
    std::memset(memory, kPoison, buffer.bytes);
  Page whole = Page::fresh;
  if (buffer.contents == Contents::input) whole = Page::constant;
  if (buffer.contents == Contents::initialised) whole = Page::initialised;
  std::memset(&pages_[start >> kPageShift], static_cast<int>(whole),
              pages_of(buffer.offset + buffer.bytes) >> kPageShift);
  use_large_pages(&cells_[start / 4], buffer.bytes / 4 * sizeof(Cell));
  mark_begin(placed);
  mark_end(placed);
}

// The record of a half that is outside, beside one that is inside: it turns away the fast path for words, and no thread
// may take that for halves here, because it holds no value, another thread writes there, and other blocks have read it.
constexpr Half kHalfOutside{.tick = kTickMax, .writer = 0x3ff, .has_writer = true, .cross = true};

// The same for the bytes of the first page that lie before the buffer.
void Arena::mark_begin(const Placed& placed) {
  if (placed.buffer.offset == 0) return;
  const uintptr_t first_page = placed.address - placed.buffer.offset;
  Page& page = pages_[(first_page - base_) >> kPageShift];
  if (page == Page::constant) page = Page::initialised;
  std::fill_n(&cell(first_page), placed.buffer.offset / 4, Cell{kUnaddressable, kUnaddressable});
  if (placed.address % 4 == 0) return;
  const uint64_t inside = pack({.init = page == Page::fresh ? 0u : 3u});
  cell(placed.address) = {pack(kHalfOutside), inside};
}

// The last page holds bytes that are not the buffer's: their cells turn the fast path away, and so does a last cell of
// which only a part is inside.
void Arena::mark_end(const Placed& placed) {
  const size_t bytes = placed.buffer.bytes;
  const uintptr_t end = placed.address + bytes;
  if (end % kPageBytes == 0) return;
  Page& page = pages_[(end - base_) >> kPageShift];
  if (page == Page::constant) page = Page::initialised;
  const uintptr_t first_outside = (end + 3) & ~uintptr_t{3};
  Cell* const outside = &cell(first_outside);
  const size_t count = (base_ + pages_of(end - base_) - first_outside) / 4;
  std::fill_n(outside, count, Cell{kUnaddressable, kUnaddressable});
  if (first_outside == end) return;
  const uint64_t half = pack({.init = page == Page::fresh ? 0u : 3u});
  cell(end) = {half, end % 4 == 3 ? half : kUnaddressable};
}

std::vector<Page> Arena::hide_pages(uintptr_t begin, size_t count) {
  Page* const first = &pages_[(begin - base_) >> kPageShift];
  std::vector<Page> states(first, first + count);
  std::memset(first, static_cast<int>(Page::unaddressable), count);
  return states;
}

void Arena::show_pages(uintptr_t begin, const Page* states, size_t count) {
  std::copy_n(states, count, &pages_[(begin - base_) >> kPageShift]);
}

// No buffer is made of these bytes from here on.
void Arena::forget(uintptr_t address, size_t buffer_bytes) {
  if (buffer_bytes == 0) return;
  const size_t start = (address - base_) & ~(kPageBytes - 1), bytes = pages_of(address - base_ - start + buffer_bytes);
  std::memset(&pages_[start >> kPageShift], 0, bytes >> kPageShift);
  madvise(&cells_[start / 4], bytes / 4 * sizeof(Cell), MADV_DONTNEED);
}

void Arena::release(uintptr_t buffer) {
  for (Placed& placed : placed_) {
    if (placed.address != buffer) continue;
    forget(placed.address, placed.buffer.bytes);
    placed.buffer.name += " (freed)";
    placed.buffer.bytes = 0;
  }
}

void Arena::place_again(uintptr_t address, const Buffer& buffer) {
  for (Placed& placed : placed_) {
    if (placed.address != address) continue;
    placed.buffer = buffer;
    fill(placed, nullptr);
  }
}

void Arena::initialise(uintptr_t address, size_t bytes) {
  const uintptr_t end = address + bytes;
  for (uintptr_t at = address & ~uintptr_t{3}; at < end; at += 4) {
    uint64_t mask = 0xf;
    if (at < address) mask &= 0xfu << (address - at);
    if (at + 4 > end) mask &= 0xfu >> (at + 4 - end);
    Cell& c = cell(at);
    if (mask == 0xf && !is_half(c.write)) {
      c = {kOldWrite, 0};
      continue;
    }
    if (!is_half(c.write)) {
      const uint64_t half = pack({.init = c.write == 0 && page(at) == Page::fresh ? 0u : 3u});
      c = {half, half};
    }
    c.write |= (mask & 3) << kHalfInitShift;
    if (is_half(c.read)) c.read |= (mask >> 2) << kHalfInitShift;
  }
}

uintptr_t Arena::first_where(bool has_value, uintptr_t address, size_t bytes) const {
  const uintptr_t end = address + bytes;
  for (uintptr_t at = address & ~uintptr_t{3}; at < end; at += 4) {
    const Cell& c = cells_[(at - base_) / 4];
    unsigned has = 0;  // a bit for each byte
    if ((c.write != 0 && !is_half(c.write)) || page(at) != Page::fresh) {
      has = 0xf;
    } else if (is_half(c.write)) {
      has = unpack(c.write).init;
      has |= (is_half(c.read) ? unpack(c.read).init : 0u) << 2;
    }
    if (has == (has_value ? 0u : 0xfu)) continue;
    for (uintptr_t i = 0; i < 4; ++i)
      if (at + i >= address && at + i < end && ((has >> i & 1) != 0) == has_value) return at + i;
  }
  return end;
}

void Arena::clear() {
  for (const Placed& placed : placed_) forget(placed.address, placed.buffer.bytes);
  if (used_ != 0) madvise(reinterpret_cast<void*>(base_), used_, MADV_DONTNEED);  // stray writes too
  placed_.clear();
  used_ = 0;
}

// Memory that no buffer declares may hold floats that a kernel computes from those in buffers, also in f32 or f64;
// where no buffer declares what it holds, it may hold those two.
Numbers Arena::numbers_at(uintptr_t address) const {
  Numbers any;
  bool found = false;
  for (const auto& [buffer, begin, is_heap] : placed_) {
    if (buffer.elements == Elements::unknown || buffer.bytes == 0) continue;
    const bool floats = buffer.elements == Elements::floats;
    const size_t size = floats ? buffer.element_bytes : 0;
    if (address - begin < buffer.bytes) return {.f16 = size == 2, .f32 = size == 4, .f64 = size == 8, .declared = true};
    found = true;
    any.f16 |= size == 2;
    any.f32 |= floats;
  }
  any.f64 = any.f32 = any.f32 || !found;
  return any;
}

const Placed* Arena::nearest(uintptr_t address) const {
  const Placed* best = nullptr;
  uintptr_t best_distance = ~uintptr_t{0};
  for (const Placed& placed : placed_) {
    const uintptr_t end = placed.address + placed.buffer.bytes;
    const uintptr_t distance = address < placed.address ? placed.address - address
                               : address < end          ? 0
                                                        : address - end + 1;
    if (distance < best_distance) best = &placed, best_distance = distance;
  }
  return best;
}

void Arena::forget_records() {
  for (const Placed& placed : placed_) {
    Cell* const first = &cell(placed.address);
    for (Cell* c = first; c != first + (placed.address % 4 + placed.buffer.bytes + 3) / 4; ++c) {
      if ((c->write == 0 && c->read == 0) || c->write == kUnaddressable) continue;
      if (is_half(c->write))
        *c = {pack({.init = unpack(c->write).init}), is_half(c->read) ? pack({.init = unpack(c->read).init}) : c->read};
      else
        *c = {c->write == 0 ? 0 : kOldWrite, 0};
    }
    if (placed.address % 4 != 0 && placed.buffer.bytes != 0) cell(placed.address).write = pack(kHalfOutside);
  }
}

void Arena::host_wrote(uintptr_t begin, size_t bytes) {
  const Placed* const placed = holds(begin) ? nearest(begin) : nullptr;
  if (placed == nullptr || begin < placed->address || begin - placed->address >= placed->buffer.bytes) return;
  const uintptr_t end = begin + std::min(bytes, placed->address + placed->buffer.bytes - begin);
  for (uintptr_t at = begin & ~uintptr_t{3}; at < end; at += 4) {
    Cell& c = cell(at);
    if (at >= begin && at + 4 <= end) {
      c = {kOldWrite, 0};
      continue;
    }
    const bool unwritten = c.write == 0 && page(at) == Page::fresh;
    if (!is_half(c.write)) c.write = c.read = pack({.init = unwritten ? 0u : 3u});
    for (uintptr_t byte = std::max(at, begin); byte < std::min(at + 4, end); ++byte) {
      uint64_t& word = byte - at < 2 ? c.write : c.read;
      word |= uint64_t{1} << (byte % 2 + kHalfInitShift);
    }
  }
}

void Arena::enter(HookState& state) const {
  state.arena = base_;
  state.arena_bytes = bytes_;
  state.arena_cells = cells_;
  state.pages = pages_;
}

}  // namespace assay::simt::checked
