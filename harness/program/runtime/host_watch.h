// The host's own accesses to managed and pinned memory, while work that it has not waited for uses the same bytes.
//
// Nobody sees loads and stores of the host, so pages that such work has accessed are closed to it (mprotect) until it
// has waited, and a fault tells which byte it accesses, and whether it writes. Whoever holds the process's lock may
// access all memory: then the runtime and kernels do. An access without a conflict, beside the bytes of a piece of
// work, is let through as one step of the processor, and the page is closed again.
#pragma once

#include <ucontext.h>

#include <csignal>
#include <mutex>

#include "harness/simt/checked/footprint.h"

namespace assay::program {

// The lock of a process, under which its device does all its work.
class ProcessLock {
 public:
  void lock();
  void unlock();

  // For whoever is to access no memory: the host's faults.
  std::recursive_mutex& mutex() { return mutex_; }
  bool is_held() const { return depth_ != 0; }

 private:
  std::recursive_mutex mutex_;
  unsigned depth_ = 0;
};

// The signals of faults and steps come here from now on.
void watch_host();
// A handler of the program's own takes their place.
void watch_host_no_more();
bool watches_host();
// Work was done, or waited for, since the pages were last chosen.
void watch_is_stale();
// Whether the fault was of a page that is closed; the access may be made again then.
bool was_watched(const siginfo_t* info, ucontext_t* context);
// The step that an access needed is done. False: the signal is somebody else's.
bool was_stepped(ucontext_t* context);
// A system call will access these bytes for the host, and would fail.
void host_passes(const void* begin, size_t bytes, simt::Touch touch);

}  // namespace assay::program
