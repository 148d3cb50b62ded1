// A barrier that some threads of the block never come to because they have returned.
//
// A GPU from sm_70 on waits for the threads that are left, so such kernels work, and an early return before a barrier
// is common. But CUDA defines a barrier in conditional code only where all threads evaluate the condition alike, and
// synccheck of compute-sanitizer reports it. Off by default: as a finding ("exited_threads"), or as a hint.
#include <fmt/format.h>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt::checked {
namespace {

template <Kind kKind>
class ExitedThreads : public Listener {
 public:
  using Listener::Listener;

  void barrier(const void* resume) override {
    const Worker& worker = this_worker();
    const Fiber *const gone = worker.first_returned(), *const waits = worker.first_living();
    if (gone == nullptr || waits == nullptr) return;
    FindingLog& log = monitor.log(kKind);
    if (!log.is_new(kKind, resume, nullptr)) return;
    const uint3& g = gone->thread_idx;
    Report r{.kind = kKind, .me = {}, .earlier = {}, .place = "__syncthreads", .what = {}};
    r.me = {.pc = resume,
            .act = "wait",
            .block = monitor.time().block_number(),
            .thread = linear_index(waits->thread_idx, block.block_dim)};
    r.what = fmt::format(
        "but thread ({},{},{}) has returned without coming here. Hardware from sm_70 on waits for the others only; "
        "CUDA "
        "defines a barrier where all threads of the block reach it: guard the work, not the barrier",
        g.x, g.y, g.z);
    log.add(std::move(r));
  }
};

const Registered<ExitedThreads<Kind::barrier>> finding("exited_threads", Kind::barrier, false);
const Registered<ExitedThreads<Kind::none>> hint("exited_threads_hint", Kind::none, false);

}  // namespace
}  // namespace assay::simt::checked
