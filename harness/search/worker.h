// The worker process: reads case lines, runs them, writes result rows. Whatever a kernel does to its process (a wild
// write, an endless loop, an abort) happens here, and the parent turns it into a verdict.
#pragma once

#include <string>

namespace assay {

// Serves until end of input: a case line per line on standard input, a JSON row per line on the descriptor that was
// standard output (kernels' own printing goes to standard error). Returns the exit code.
int worker_main(const std::string& device);

}  // namespace assay
