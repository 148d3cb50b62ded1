// Races between pieces of work that nothing orders: in two streams, in two nodes of a graph.
//
// The calls that do work say here which bytes it accesses; whose work it is stream_order.h knows.
#pragma once

#include <functional>
#include <string>

#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/simt/checked/footprint.h"

namespace assay::program {

// The work that the thread does is a launch. `what`: the kernel, as findings name it; `kernel`: null where another
// kernel has launched it.
void launch_is(const std::string& what, const RegisteredKernel* kernel);
// The launch that has just ended has accessed these bytes; null: nobody knows which.
void launch_accessed(const simt::Footprint* footprint);
// The thread's work is a library's, and reads or writes these bytes.
void library_accessed(const void* begin, size_t bytes, simt::Touch touch);
// Bytes were copied or set. `name`: of the call, which waits for the default stream if the thread does no work of a
// stream.
void copied(const char* name, const void* to, const void* from, size_t bytes);
void was_set(const char* name, const void* to, size_t bytes);
// The thread's work allocates memory, which must not be accessed before that.
void allocated(const void* memory, size_t bytes);
// The thread's work frees memory, or a call that waits for the device does.
void will_be_freed(const void* memory, size_t bytes);
// The host knows more to be done than before.
void host_has_waited();
// Accesses of work that the host does not know to be done, to managed and pinned memory.
simt::Footprint unfinished_for_host();
// The host accesses these bytes. False: it may not yet, which is logged with the place that `site` returns.
bool host_may_access(uintptr_t begin, uintptr_t end, simt::Touch touch, const std::function<CallSite()>& site);
// Memory of the host from which copies are made directly; copies to and from other memory of its own wait for the host.
void host_registered(const void* memory, size_t bytes);
bool is_host_registered(uintptr_t address);
void host_unregistered(const void* memory);

}  // namespace assay::program
