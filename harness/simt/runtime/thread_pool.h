// OS threads that stay between launches, because a worker's stacks and shared memory are dear to set up.
#pragma once

#include <functional>

namespace assay::simt {

// Runs `work` on `count` OS threads at once, the calling one among them, and returns when all are done. Threads are
// made at first need; a forked child makes its own. Not reentrant: one caller at a time gets helpers, others run alone.
void on_threads(unsigned count, const std::function<void()>& work);

}  // namespace assay::simt
