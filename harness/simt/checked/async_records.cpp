// Copies by cp.async, and where instructions that know only one kind of memory may go.
//
// While a copy is under way its destination holds neither the old value nor the new. Its cells are marked, which turns
// the fast path of the hooks away, and every access to them is a finding. The wait of the thread that made the copy
// makes it a write of that thread, at that moment.
#include <fmt/format.h>

#include "harness/simt/checked/detector.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/async_copies.h"

namespace assay::simt::checked {
namespace {

template <class Visit>
void each_cell_of_destination(const SharedMemory& shared, const AsyncCopy& copy, Visit visit) {
  const auto begin = reinterpret_cast<uintptr_t>(copy.to);
  for (uintptr_t at = begin & ~uintptr_t{3}; at < begin + copy.bytes; at += 4)
    if (shared.addressable(at, 4)) visit(shared.cell(at));
}

}  // namespace

bool Detector::check_space(Now now, bool shared, const char* instruction) {
  const bool is_shared = shared_->holds(now.address) && !shared_->foreign(now.address);
  if (is_shared == shared) return true;
  now.space = is_shared ? Space::shared : arena.holds(now.address) ? Space::device : Space::outside;
  if (checks.bounds)
    report(Kind::out_of_bounds, now,
           fmt::format("but {} takes an address of {} memory here", instruction, shared ? "shared" : "global"));
  return false;
}

void Detector::check_ldmatrix_row(const void* row, const void* pc, uint32_t thread) {
  const Now now{
      .address = reinterpret_cast<uintptr_t>(row), .bytes = 16, .access = Access::read, .pc = pc, .me = thread};
  if (check_space(now, true, "ldmatrix")) check(now);
}

bool Detector::copy_begins(const AsyncCopy& copy, uint32_t thread) {
  const Now from{.address = reinterpret_cast<uintptr_t>(copy.from),
                 .bytes = copy.source_bytes,
                 .access = Access::read,
                 .pc = copy.pc,
                 .me = thread};
  const Now to{.address = reinterpret_cast<uintptr_t>(copy.to),
               .bytes = copy.bytes,
               .access = Access::write,
               .pc = copy.pc,
               .me = thread};
  if (!check_space(to, true, "cp.async")) return false;
  if (copy.source_bytes != 0) {
    if (!check_space(from, false, "cp.async")) return false;
    check(from);
  }
  check(to);
  each_cell_of_destination(*shared_, copy, [&](Cell& cell) {
    cell.write = kCopying | tick_ << kTickShift | uint64_t{thread} << kThreadShift;
    cell.read = kCopying | (reinterpret_cast<uintptr_t>(copy.pc) & kSiteMask) << kTickShift;
  });
  return true;
}

void Detector::copy_lands(const AsyncCopy& copy, uint32_t thread) {
  each_cell_of_destination(*shared_, copy, [&](Cell& cell) {
    if (is_copying(cell.write) && thread_of(cell.write) == thread) cell = {record({.pc = copy.pc, .me = thread}), 0};
  });
}

// What a thread reads of its own copy is not there yet; with anybody else's access the copy races.
void Detector::check_copying(const Now& now, const Cell& cell) {
  const uint32_t thread = thread_of(cell.write);
  const void* const copy = pc_of(now, cell.read >> kTickShift & kSiteMask);
  if (thread != now.me || now.access != Access::read) {
    if (checks.races)
      add_race(now, {.pc = copy,
                     .access = Access::write,
                     .copying = true,
                     .block = block_number_,
                     .thread = thread,
                     .thread_known = thread != now.me});
    return;
  }
  if (checks.uninitialised)
    report(Kind::uninitialised, now,
           fmt::format("but the thread has not waited for its cp.async ({}); a cp.async wait between the two lines, "
                       "for that group, fixes it",
                       source_line(copy)),
           copy);
}

}  // namespace assay::simt::checked
