// The shadow of a sieved case: made from the arena's buffers, and what an access may find there.
#include "harness/simt/sieve/sieve.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "harness/simt/checked/shared_memory.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/worker.h"
#include "harness/simt/sieve/state.h"

constinit assay::simt::sieve::State assay_simt_sieve{};

namespace assay::simt::sieve {
namespace {

using checked::Arena;

constexpr uintptr_t kPageBytes = uintptr_t{1} << kPageShift;
constexpr uint32_t kSpareTicks = kTick << 12;  // for one block's barriers

// A buffer as the checks see it.
struct Seen {
  uintptr_t begin, bytes;
  Page page;  // none: every access gives up
  uintptr_t end() const { return begin + bytes; }
  uintptr_t granule() const { return page == words ? 4 : 2; }
  uint32_t& cell(uintptr_t address) const {
    return page == words ? *reinterpret_cast<uint32_t*>(kWords + (address - kArena) / 4 * 4)
                         : *reinterpret_cast<uint32_t*>(kHalves + (address - kArena) / 2 * 4);
  }
  bool has_cells() const { return page == words || page == halves; }
};

struct Shadow {
  std::vector<Seen> seen;  // as the arena has them, by ascending address
  const Arena* arena = nullptr;
  std::vector<uint32_t> shared_words, shared_halves;
  uintptr_t shared = 0;
  size_t dynamic_bytes = 0;
};
Shadow& shadow() {
  static Shadow& all = *new Shadow;
  return all;
}

State& state() { return assay_simt_sieve; }

bool map_at(uintptr_t begin, uintptr_t bytes) {
  void* const wanted = reinterpret_cast<void*>(begin);
  return mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
              -1, 0) == wanted;
}

// Addresses only. The process may not have so many (ulimit -v).
bool has_memory() {
  static const bool has = [] {
    if (!map_at(kWords, kArenaBytes) || !map_at(kHalves, 2 * kArenaBytes) || !map_at(kPages, kPagesBytes)) return false;
    state().now = kTick;
    return true;
  }();
  return has;
}

Page page_of(const checked::Placed& placed) {
  const size_t element = placed.buffer.element_bytes;
  if (placed.is_heap) return none;
  if (placed.buffer.contents == Contents::input) return constant;
  if (element >= 4 && element % 4 == 0 && placed.address % 4 == 0) return words;
  return element == 2 ? halves : none;
}

uint8_t& page_at(uintptr_t address) { return reinterpret_cast<uint8_t*>(kPages)[address >> kPageShift]; }

void open(const Seen& buffer, bool has_values) {
  if (buffer.bytes == 0 || buffer.page == none) return;
  const uintptr_t first = buffer.begin & ~(kPageBytes - 1);
  const uintptr_t last = (buffer.end() + kPageBytes - 1) & ~(kPageBytes - 1);
  for (uintptr_t page = first; page < last; page += kPageBytes) {
    const bool whole = page >= buffer.begin && page + kPageBytes <= buffer.end();
    page_at(page) = buffer.page == constant && !whole ? constant_in_part : buffer.page;
  }
  if (!buffer.has_cells()) return;
  const uintptr_t end = buffer.begin + buffer.bytes / buffer.granule() * buffer.granule();
  const auto cells = [&](uintptr_t from, uintptr_t to) { return std::pair(&buffer.cell(from), &buffer.cell(to)); };
  const auto fill = [&](uintptr_t from, uintptr_t to, uint32_t value) {
    const auto [begin, behind] = cells(from, to);
    std::fill(begin, behind, value);
  };
  fill(first, buffer.begin, kOutside);
  fill(buffer.begin, end, has_values ? kOld : 0);
  fill(end, last, kOutside);
}

void close(const Seen& buffer) {
  for (uintptr_t page = buffer.begin & ~(kPageBytes - 1); page < buffer.end(); page += kPageBytes) page_at(page) = none;
}

// Buffers that are new are opened; false: some are gone, which the checks do not follow.
bool follow(const Arena& arena) {
  Shadow& s = shadow();
  if (s.arena != &arena) end_case();
  s.arena = &arena;
  const auto& placed = arena.placed();
  if (placed.size() < s.seen.size()) return false;
  for (size_t i = 0; i < placed.size(); ++i) {
    const checked::Placed& p = placed[i];
    if (i < s.seen.size()) {
      const Seen& before = s.seen[i];
      if (before.begin != p.address || before.bytes != p.buffer.bytes || before.page != page_of(p)) return false;
      continue;
    }
    s.seen.push_back({p.address, p.buffer.bytes, page_of(p)});
    open(s.seen.back(), p.buffer.contents == Contents::initialised);
    ++state().generation;
  }
  return true;
}

// The arrays of the kernel's module; between them, and behind what was launched, nobody's.
void enter_shared(const Module& module, size_t dynamic_bytes) {
  Shadow& s = shadow();
  const auto number = [](const void* address) { return reinterpret_cast<uintptr_t>(address); };
  const uintptr_t begin = number(module.shared) & ~uintptr_t{63}, bytes = number(module.shared_end) - begin;
  if (s.shared != begin || s.dynamic_bytes != dynamic_bytes) {
    s.shared_words.assign(bytes / 4 + 4, kOutside);
    s.shared_halves.assign(bytes / 2 + 8, kOutside);
    const auto open_array = [&](uintptr_t from, size_t array_bytes) {
      std::fill_n(s.shared_words.begin() + static_cast<ptrdiff_t>((from - begin) / 4), array_bytes / 4, 0);
      std::fill_n(s.shared_halves.begin() + static_cast<ptrdiff_t>((from - begin) / 2), array_bytes / 2, 0);
    };
    for (const SharedArrayFacts* array = module.arrays; array != module.arrays_end; ++array)
      if (array->name != nullptr) open_array(number(array->address), array->bytes);
    open_array(number(module.dynamic), dynamic_bytes);
    s.shared = begin;
    s.dynamic_bytes = dynamic_bytes;
  }
  state().shared = begin;
  state().shared_bytes = bytes;
  state().shared_words = s.shared_words.data();
  state().shared_halves = s.shared_halves.data();
}

// Time is used up: what this launch has left counts as of one interval of another block.
void start_again() {
  Shadow& s = shadow();
  for (const Seen& buffer : s.seen) {
    if (!buffer.has_cells()) continue;
    for (uintptr_t at = buffer.begin; at + buffer.granule() <= buffer.end(); at += buffer.granule()) {
      uint32_t& cell = buffer.cell(at);
      if (cell != kOutside && cell != 0) cell = cell < state().launch ? kOld : 2 * kTick | (cell & (kTick - 1));
    }
  }
  for (auto* cells : {&s.shared_words, &s.shared_halves})
    std::replace_if(
        cells->begin(), cells->end(), [](uint32_t cell) { return cell != kOutside; }, 0u);
  state().launch = 2 * kTick;
  state().now = 3 * kTick;
}

enum class Found { settled, wrong };

// An access to a cell that the inlined check did not find right, or never saw.
Found look_at_shared(uint32_t& cell, bool writes, uint32_t mine) {
  const State& s = state();
  const uint32_t old = cell;
  if (old == kOutside) return Found::wrong;
  const bool own = (old ^ mine) <= (kWrite | kWrote);
  if (writes) {
    if (old >= s.barrier && !own) return Found::wrong;
    cell = mine | kWrite | kWrote;
    return Found::settled;
  }
  if (own) return Found::settled;
  if (old < s.block) return Found::wrong;  // nothing in this block has written it
  if (old >= s.barrier && (old & kWrite) != 0) return Found::wrong;
  cell = old >= s.barrier ? s.now | kMany : mine;
  return Found::settled;
}

Found look_at_global(uint32_t& cell, bool has_value, bool writes, uint32_t mine) {
  const State& s = state();
  const uint32_t old = cell;
  if (old == kOutside) return Found::wrong;
  const bool own = (old ^ mine) <= (kWrite | kWrote), across = (old & kThreads) == kAcross;
  if (writes) {
    const bool behind_barrier = old >= s.block && old < s.barrier && !across;
    if (old >= s.launch && !own && !behind_barrier) return Found::wrong;
    cell = mine | kWrite | kWrote;
    return Found::settled;
  }
  if (own) return Found::settled;
  if (old < s.launch) {
    if (old == 0 && !has_value) return Found::wrong;
    cell = mine;
  } else if (old < s.block) {  // another block's
    if ((old & (kWrite | kWrote)) != 0) return Found::wrong;
    cell = s.now | kAcross;
  } else if (old < s.barrier) {
    cell = (across ? s.now | kAcross : mine) | ((old & (kWrite | kWrote)) != 0 ? kWrote : 0);
  } else {
    if ((old & kWrite) != 0) return Found::wrong;
    cell = s.now | (across ? kAcross : kMany) | (old & kWrote);
  }
  return Found::settled;
}

// Outside of the device's memory: what belongs to a thread, which nobody checks, and constant memory.
bool may_outside(uintptr_t address, bool writes) {
  const auto* const pointer = reinterpret_cast<const void*>(address);
  return this_worker_if_any()->stacks.holding(pointer) >= 0 || is_split_context(pointer) ||
         (!writes && checked::is_constant(address));
}

// The last buffer that begins there or before.
const Seen* buffer_at(uintptr_t address) {
  const auto& seen = shadow().seen;
  const auto after = std::upper_bound(seen.begin(), seen.end(), address,
                                      [](uintptr_t a, const Seen& buffer) { return a < buffer.begin; });
  return after == seen.begin() ? nullptr : &*(after - 1);
}

bool all_settled(uintptr_t address, uint32_t bytes, bool writes, bool shared_halves, uint32_t mine) {
  Shadow& s = shadow();
  if (address % std::min(bytes, 4u) != 0) return false;
  if (address - state().shared < state().shared_bytes) {
    const uint32_t granule = shared_halves ? 2 : 4;
    auto& cells = shared_halves ? s.shared_halves : s.shared_words;
    if (bytes < granule) return false;
    for (uintptr_t at = address; at < address + bytes; at += granule)
      if (look_at_shared(cells[(at - state().shared) / granule], writes, mine) == Found::wrong) return false;
    return true;
  }
  if (!s.arena->holds(address)) return may_outside(address, writes);
  const Seen* const found = buffer_at(address);
  if (found == nullptr || address + bytes > found->end()) return false;
  const Seen& buffer = *found;
  if (buffer.page == constant) return !writes;
  if (!buffer.has_cells() || bytes < buffer.granule()) return false;
  for (uintptr_t at = address; at < address + bytes; at += buffer.granule()) {
    const uintptr_t end = at + buffer.granule();
    uint32_t& cell = buffer.cell(at);
    const bool has_value = cell == 0 && s.arena->first_without_value(at, buffer.granule()) == end;
    if (look_at_global(cell, has_value, writes, mine) == Found::wrong) return false;
  }
  return true;
}

// Where it gave up is for people who look into sieves: to find the line in a large module takes a tenth of a second.
[[noreturn]] void give_up(const void* pc) {
  static const bool is_reported = std::getenv("ASSAY_SIEVE_REPORT") != nullptr;
  stop_launch(Kind::skipped, "not proven" + (is_reported ? ": " + checked::line_outside_headers(pc) : ""));
}

}  // namespace

bool begin_launch(const Launch& shape, const Module& module, const Arena& arena) {
  if (!has_memory() || arena.begin() != kArena || arena.bytes() > kArenaBytes || !follow(arena)) return false;
  enter_shared(module, shape.shared_bytes);
  checked::note_constants(module);
  state().now += kTick;
  state().launch = state().now;
  return true;
}

void begin_block() {
  if (state().now > kLastTick - kSpareTicks) start_again();
  state().now += kTick;
  state().block = state().barrier = state().now;
}

void end_case() {
  Shadow& s = shadow();
  for (const Seen& buffer : s.seen) close(buffer);
  s.seen.clear();
  s.arena = nullptr;
  ++state().generation;
}

}  // namespace assay::simt::sieve

void assay_simt_sieve_look(uintptr_t address, uint32_t bytes, bool writes, bool shared_halves, uint32_t mine,
                           const void* pc) {
  if (!assay::simt::sieve::all_settled(address, bytes, writes, shared_halves, mine)) assay::simt::sieve::give_up(pc);
}

bool assay_simt_sieve_find(intptr_t least, intptr_t end, uint32_t page, assay::simt::sieve::Found* found) {
  if (least <= 0 || end < least) return false;
  const auto* const buffer = assay::simt::sieve::buffer_at(static_cast<uintptr_t>(least));
  if (buffer == nullptr || buffer->page != page || static_cast<uintptr_t>(end) > buffer->end()) return false;
  *found = {buffer->begin, buffer->end(), assay_simt_sieve.generation};
  return true;
}

void assay_simt_sieve_give_up() { assay::simt::sieve::give_up(__builtin_return_address(0)); }

void assay_simt_sieve_barrier() {
  auto& state = assay_simt_sieve;
  if (state.now >= assay::simt::sieve::kLastTick) assay::simt::sieve::give_up(__builtin_return_address(0));
  state.now += assay::simt::sieve::kTick;
  state.barrier = state.now;
}
