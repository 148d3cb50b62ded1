// cp.async as kernels call it: begin, commit, wait.
#include "harness/simt/include/simt/async_copy.h"

#include <fmt/format.h>

#include <cstring>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

// It is as the tensors' own: a NaN in every float format.
constexpr int kPoison = 0xff;

uint32_t number_of(const Fiber* fiber) { return linear_index(fiber->thread_idx, block.block_dim); }

checked::Monitor* checker() { return this_worker_if_any()->launch->checker; }

bool reports_misaligned() { return checker() == nullptr || checker()->hears(checked::Event::misaligned); }

void check_copy(const AsyncCopy& copy) {
  const auto text = [&](const char* what) {
    return fmt::format("cp.async of {} bytes ({}){}", copy.bytes, checked::source_line(copy.pc), what);
  };
  if (copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16)
    stop_launch(Kind::crash, text(": 4, 8 and 16 are all that there are"));
  if (copy.source_bytes > copy.bytes) stop_launch(Kind::crash, text(" from a source of another size"));
  const auto misaligned = [&](const void* address) { return reinterpret_cast<uintptr_t>(address) % copy.bytes != 0; };
  const char* const whose = misaligned(copy.to) ? "destination" : misaligned(copy.from) ? "source" : nullptr;
  if (whose == nullptr || !reports_misaligned()) return;
  stop_launch(Kind::misaligned,
              text(fmt::format(" whose {} is no multiple of that; a GPU stops the kernel here", whose).c_str()));
}

void land(const AsyncCopy& copy) {
  if (copy.source_bytes != 0) std::memcpy(copy.to, copy.from, copy.source_bytes);
  std::memset(static_cast<char*>(copy.to) + copy.source_bytes, 0, copy.bytes - copy.source_bytes);
}

}  // namespace

void async_copy(const Fiber* me, void* to, const void* from, size_t bytes, size_t source_bytes) {
  const AsyncCopy copy{to, from, bytes, source_bytes, __builtin_return_address(0)};
  check_copy(copy);
  if (checker() != nullptr && !checker()->copy_begins(copy, number_of(me))) return;
  Worker& worker = *this_worker_if_any();
  if (worker.async_copies == nullptr) worker.async_copies = std::make_unique<AsyncCopies>();
  std::memset(to, kPoison, bytes);
  worker.async_copies->add(number_of(me), copy);
}

void async_commit(const Fiber* me) {
  if (AsyncCopies* const copies = this_worker_if_any()->async_copies.get()) copies->commit(number_of(me));
}

void async_wait(const Fiber* me, size_t left) {
  AsyncCopies* const copies = this_worker_if_any()->async_copies.get();
  if (copies == nullptr) return;
  const uint32_t thread = number_of(me);
  copies->wait(thread, left, [&](const AsyncCopy& copy) {
    land(copy);
    if (checker() != nullptr) checker()->copy_lands(copy, thread);
  });
}

void async_wait_all(const Fiber* me) {
  async_commit(me);
  async_wait(me, 0);
}

}  // namespace assay::simt
