// Copies by cp.async, and where instructions that know only one kind of memory may go.
//
// While a copy is under way its destination holds neither the old value nor the new. Its cells are marked, which turns
// the fast path of the hooks away, and every access to them is a finding. The wait of the thread that made the copy
// makes it a write of that thread, at that moment.
#include "harness/simt/checked/monitor.h"
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

bool Monitor::check_space(Now now, bool shared, const char* instruction) {
  now.space = space_of(now.address);
  if (now.space == Space::shared && shared_->foreign(now.address)) now.space = Space::outside;
  if ((now.space == Space::shared) == shared) return true;
  for (Listener* l : hearing(Event::wrong_space)) l->wrong_space(now, shared, instruction);
  return false;
}

void Monitor::check_ldmatrix_row(const void* row, const void* pc, uint32_t thread) {
  const Now now{
      .address = reinterpret_cast<uintptr_t>(row), .bytes = 16, .access = Access::read, .pc = pc, .me = thread};
  if (check_space(now, true, "ldmatrix")) check(now);
}

bool Monitor::copy_begins(const AsyncCopy& copy, uint32_t thread) {
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
    cell.write = kCopying | time_.now() << kTickShift | uint64_t{thread} << kThreadShift;
    cell.read = kCopying | (reinterpret_cast<uintptr_t>(copy.pc) & kSiteMask) << kTickShift;
  });
  return true;
}

void Monitor::copy_lands(const AsyncCopy& copy, uint32_t thread) {
  each_cell_of_destination(*shared_, copy, [&](Cell& cell) {
    if (is_copying(cell.write) && thread_of(cell.write) == thread)
      cell = {records_.record({.pc = copy.pc, .me = thread}), 0};
  });
}

}  // namespace assay::simt::checked
