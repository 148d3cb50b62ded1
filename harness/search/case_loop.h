// The loop of a process that runs cases: reads tasks, runs them, sends rows. Whatever a kernel does to its process (a
// wild write, an endless loop, an abort) happens here, and the supervisor turns it into a verdict.
#pragma once

namespace assay {

// Serves until the end of input: a task (task.h) on each line of the socket `supervisor`, a framed row (frame.h) for
// each; no other descriptor of the process but the standard streams stays open. Returns the exit code.
int serve_cases(int supervisor);

}  // namespace assay
