// Stacks for signal handlers: whether a signal may arrive while a thread of a kernel runs without taking of its stack.
#pragma once

namespace assay::simt {

// True if every signal handler of the process runs on an alternative stack, which this OS thread has, or there is none.
// Handlers that are installed later are not seen.
bool handlers_have_own_stack();

// Whoever learns of every handler that the process installs says so once, and then of each: the question above takes
// one system call instead of 64 for a launch.
__attribute__((visibility("default"))) void signal_handlers_are_watched();
__attribute__((visibility("default"))) void signal_handler_changed();

// Gives this OS thread an alternative stack, which stays until the process ends. Without one its handlers cannot tell
// of a stack overflow, and kernels get no dense stacks on it.
__attribute__((visibility("default"))) void give_this_thread_a_signal_stack();

}  // namespace assay::simt
