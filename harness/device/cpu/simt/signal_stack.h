// Whether a signal may arrive while a thread of a kernel runs without taking of its stack.
#pragma once

namespace assay::simt {

// True if every signal handler of the process runs on an alternative stack, which this OS thread has, or there is none.
// Handlers that are installed later are not seen.
bool handlers_have_own_stack();

}  // namespace assay::simt
