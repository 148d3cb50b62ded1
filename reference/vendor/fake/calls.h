// Notes of the calls that a variant may make in its first run only: memory, handles and plans cost time, and the
// capture of a graph refuses them. Waiting for the GPU has no fake at all, so a variant that waits does not link.
#pragma once

#include <cstdlib>
#include <fstream>

namespace fake {

// Adds a line to the file that ASSAY_GPU_CALLS names. The simulated GPU adds "finish" to it after each run.
inline void note(const char* call) {
  if (const char* file = std::getenv("ASSAY_GPU_CALLS")) std::ofstream(file, std::ios::app) << call << '\n';
}

}  // namespace fake
