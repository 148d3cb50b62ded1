// A worker: a process that supervises another one in which kernels run. Itself it runs none, so it survives whatever
// they do, says what that was, and ends everything that they started, also when the program that started it is gone.
#pragma once

namespace assay {

// Serves until the end of input: on each line of standard input a time limit in seconds and a task (task.h), on
// standard output a JSON row per line. Returns the exit code.
int worker_main();

}  // namespace assay
