// Closed pages, faults, and steps. All state is the lock's.
#include "harness/program/runtime/host_watch.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <vector>

#include "harness/program/runtime/process.h"
#include "harness/program/runtime/stream_order.h"
#include "harness/program/runtime/stream_races.h"

namespace assay::program {
namespace {

using simt::Touch;

constexpr uintptr_t kPage = 4096;
constexpr size_t kPagesMax = 1024;    // pieces of the process's memory, each of which takes the system a microsecond
constexpr unsigned kStepsMax = 1024;  // of a page, 4 us each, until it is open for good
constexpr unsigned kAllStepsMax = 200000;  // of a process
constexpr unsigned kFoundMax = 16;         // in an allocation, until it is
constexpr greg_t kWrites = 2;              // in a fault's error code
constexpr greg_t kStep = 0x100;            // the flag that makes the processor trap behind the next instruction

struct Pages {
  uintptr_t begin, end;
  int protection;
};

std::atomic<bool> is_watching = false, any_closed = false;
bool is_stale = false;
std::vector<Pages> closed;  // by ascending address
unsigned all_steps = 0;
std::map<uintptr_t, unsigned> steps;            // by page
std::map<uintptr_t, unsigned> found_in;         // by allocation
thread_local std::array<uintptr_t, 4> stepped;  // pages that are open for one instruction of this thread
thread_local size_t stepped_count = 0;

void protect(uintptr_t begin, uintptr_t end, int protection) {
  static_cast<void>(mprotect(reinterpret_cast<void*>(begin), end - begin, protection));
}
void open(uintptr_t begin, uintptr_t end) { protect(begin, end, PROT_READ | PROT_WRITE); }
void open_all() {
  for (const Pages& pages : closed) open(pages.begin, pages.end);
  any_closed = false;
}
void close_all() {
  for (const Pages& pages : closed) protect(pages.begin, pages.end, pages.protection);
  any_closed = !closed.empty();
}

// Pages so far apart are closed as one.
std::vector<Pages> pages_of(const simt::Footprint& footprint, uintptr_t apart) {
  std::vector<Pages> all;
  for (const simt::Touched& each : footprint) {
    Pages next{each.begin & ~(kPage - 1), (each.end + kPage - 1) & ~(kPage - 1),
               each.touch == Touch::read ? PROT_READ : PROT_NONE};
    if (!all.empty() && next.begin <= all.back().end + apart) {
      Pages& last = all.back();
      if (next.protection == last.protection || apart != 0) {
        last.end = std::max(last.end, next.end), last.protection = std::min(last.protection, next.protection);
        continue;
      }
      // A page that both have is closed to reads as well.
      (next.protection == PROT_NONE ? last.end : next.begin) = next.protection == PROT_NONE ? next.begin : last.end;
    }
    if (!all.empty() && all.back().begin == all.back().end) all.pop_back();
    if (next.begin < next.end) all.push_back(next);
  }
  return all;
}

void choose() {
  if (!std::exchange(is_stale, false)) return;
  simt::Footprint footprint = unfinished_for_host();
  std::erase_if(footprint, [](const simt::Touched& each) {
    const auto place = GpuProcess::get().place_of(reinterpret_cast<const void*>(each.begin));
    return place && found_in.contains(place->first) && found_in[place->first] >= kFoundMax;
  });
  closed = pages_of(footprint, 0);
  if (closed.size() > kPagesMax) closed = pages_of(footprint, size_t{1} << 20);
  if (closed.size() > kPagesMax) closed.resize(kPagesMax);
  steps.clear();
}

const Pages* closed_at(uintptr_t page) {
  const auto after = std::ranges::upper_bound(closed, page, {}, &Pages::begin);
  return after == closed.begin() || page >= (after - 1)->end ? nullptr : &*(after - 1);
}

// The frames of the program, from the instruction on that has faulted; null: from whoever called this library.
CallSite site_of(const ucontext_t* context) {
  CallSite all = call_site(), own;
  int first = 0;
  if (context != nullptr) {
    auto* const pc = reinterpret_cast<void*>(context->uc_mcontext.gregs[REG_RIP]);
    while (first < all.count && all.frames[static_cast<size_t>(first)] != pc) ++first;
    if (first < all.count) ++(reinterpret_cast<char*&>(all.frames[static_cast<size_t>(first)]));
  }
  // Libraries in between, such as that of memcpy, have no lines.
  for (; first < all.count; ++first) {
    own.count = 1;
    for (int i = first; i < all.count; ++i)
      own.frames[static_cast<size_t>(own.count++)] = all.frames[static_cast<size_t>(i)];
    if (!line_of(own, Called::directly).empty()) break;
  }
  return own;
}

}  // namespace

void ProcessLock::lock() {
  mutex_.lock();
  if (depth_++ == 0 && any_closed) open_all();
}

void ProcessLock::unlock() {
  if (depth_ == 1 && is_watching) {
    choose();
    close_all();
  }
  --depth_;
  mutex_.unlock();
}

void watch_host() { is_watching = true; }
bool watches_host() { return is_watching; }
void watch_is_stale() { is_stale = true; }

void watch_host_no_more() {
  if (!is_watching.exchange(false)) return;
  if (!GpuProcess::get().lock().mutex().try_lock()) return;  // whoever has it has opened them
  open_all();
  GpuProcess::get().lock().mutex().unlock();
}

bool was_watched(const siginfo_t* info, ucontext_t* context) {
  if (!is_watching || info->si_code != SEGV_ACCERR) return false;
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard held(process.lock().mutex());
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr), page = address & ~(kPage - 1);
  const auto place = process.place_of(reinterpret_cast<const void*>(page));
  if (!place || place->second->memory == Memory::device) return false;
  const bool writes = (context->uc_mcontext.gregs[REG_ERR] & kWrites) != 0;
  const Pages* const pages = closed_at(page);
  if (pages == nullptr || process.lock().is_held() || (!writes && pages->protection == PROT_READ)) {
    open(page, page + kPage);  // it was closed a moment ago
    return true;
  }
  if (!host_may_access(address, address + 1, writes ? Touch::write : Touch::read, [&] { return site_of(context); })) {
    ++found_in[place->first];
    open(place->first, place->first + place->second->bytes);
  } else if (is_stale) {
    open_all();
    choose();
    close_all();
  } else {
    open(page, page + kPage);
    if (++steps[page] > kStepsMax || ++all_steps > kAllStepsMax || stepped_count == stepped.size()) return true;
    stepped[stepped_count++] = page;
    context->uc_mcontext.gregs[REG_EFL] |= kStep;
  }
  return true;
}

bool was_stepped(ucontext_t* context) {
  if (stepped_count == 0) return false;
  context->uc_mcontext.gregs[REG_EFL] &= ~kStep;
  ProcessLock& lock = GpuProcess::get().lock();
  const std::lock_guard held(lock.mutex());
  for (; stepped_count != 0; --stepped_count) {
    const uintptr_t page = stepped[stepped_count - 1];
    const Pages* const pages = closed_at(page);
    if (pages != nullptr && is_watching && !lock.is_held()) protect(page, page + kPage, pages->protection);
  }
  return true;
}

void host_passes(const void* memory, size_t bytes, Touch touch) {
  if (!any_closed || bytes == 0) return;
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard held(process.lock().mutex());
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  for (const Pages& pages : closed) {
    if (process.lock().is_held() || pages.end <= begin || pages.begin >= begin + bytes) continue;
    const auto place = process.place_of(reinterpret_cast<const void*>(pages.begin));
    if (!host_may_access(begin, begin + bytes, touch, [] { return site_of(nullptr); }) && place)
      ++found_in[place->first];
    open(std::max(pages.begin, begin & ~(kPage - 1)), std::min(pages.end, (begin + bytes + kPage - 1) & ~(kPage - 1)));
  }
}

}  // namespace assay::program
