// The worker process: reads case lines, runs them, writes result rows. Whatever a kernel does to its process (a wild
// write, an endless loop, an abort) happens here, and the parent turns it into a verdict.
#pragma once

namespace assay {

// Serves until end of input: a task (task.h) on each line of standard input, a JSON row per line on the
// descriptor that was standard output (kernels' own printing goes to standard error). Returns the exit code.
int worker_main();

}  // namespace assay
