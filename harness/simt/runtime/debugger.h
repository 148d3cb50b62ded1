// Places where a debugger can stop: `assay replay --under gdb` breaks here (harness/cli/gdb.py).
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
// Called when the executor makes a finding, on the stack of the thread that it is about; if that thread is not the one
// that runs, `sp` and `pc` say where it waits.
extern "C" void assay_finding(const char* words, const void* sp, const void* pc);

// Called before a run whose writes to these bytes somebody wants to see.
extern "C" void assay_watch(const void* bytes, size_t size);

namespace assay {
bool debugger_attached();
}  // namespace assay
#pragma GCC visibility pop
