// Which CUDA thread an OS thread runs now, for the handlers of signals and time limits.
#pragma once

#include <cstddef>

namespace assay::simt {

// Writes "kernel k<float> block (3,0,0) thread (17,0,0)", and returns the length; 0 and "" when no kernel runs on this
// OS thread. Async-signal-safe. `signal_info` (siginfo_t*) and `signal_context` (ucontext_t*), where a handler has
// them, make the thread exact on an alternative stack, and add "stack overflow" or "null pointer" where that is what
// happened.
__attribute__((visibility("default"))) size_t describe_current_thread(char* text, size_t capacity,
                                                                      const void* signal_info = nullptr,
                                                                      const void* signal_context = nullptr);

}  // namespace assay::simt
