// Which CUDA thread an OS thread runs now, and where in the kernel, for the handlers of signals and time limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::simt {

// Writes "kernel k<float> block (3,0,0) thread (17,0,0)", and returns the length; 0 and "" when no kernel runs on this
// OS thread. Async-signal-safe. `signal_info` (siginfo_t*) and `signal_context` (ucontext_t*), where a handler has
// them, make the thread exact on an alternative stack, and add "stack overflow" or "null pointer" where that is what
// happened.
__attribute__((visibility("default"))) size_t describe_current_thread(char* text, size_t capacity,
                                                                      const void* signal_info = nullptr,
                                                                      const void* signal_context = nullptr);

// The address of a vector access that a signal (siginfo_t*, ucontext_t*) stopped because it is misaligned; 0 where it
// was something else. Async-signal-safe.
__attribute__((visibility("default"))) uintptr_t misaligned_access(const void* signal_info, const void* signal_context);

// "softmax.cu:31", the kernel's line that runs or has called what runs; "" where no kernel runs or nothing is known.
// *Not* async-signal-safe, since it reads debug information: only for a process that ends anyway, after it has said
// everything else.
__attribute__((visibility("default"))) std::string current_kernel_line(const void* signal_context);

}  // namespace assay::simt
