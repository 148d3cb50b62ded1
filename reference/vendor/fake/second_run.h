// The calls that a second run of a shape may make: those that queue work on the stream of its caller, so that a CUDA
// graph can capture it. A test says in ASSAY_FAKE_RUN which run it makes, `first` or `second`; a call that allocates,
// waits or plans is remembered as a refused launch in a second one. Nothing is computed then, and every graph has a
// plan: fused attention, which the fakes do not compute, is seen too.
#pragma once

#include <cstdlib>
#include <string>

#include "harness/device/cuda/stream.h"

namespace assay::vendor::fake {

inline bool only_calls_count() { return std::getenv("ASSAY_FAKE_RUN") != nullptr; }

inline void not_in_second_run(const char* call) {
  const char* const run = std::getenv("ASSAY_FAKE_RUN");
  if (run && std::string(run) == "second") note_refused_launch(std::string(call) + " in a second run");
}

inline void must_be_current(const char* call, const void* stream) {
  if (stream != current_stream()) note_refused_launch(std::string(call) + " is given another stream than the caller's");
}

}  // namespace assay::vendor::fake
