// Parts of a reference that do not depend on each other, on all cores where the whole takes long.
#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/base/parallel.h"
#include "harness/op/tracked.h"

namespace assay {

// Work below this is done on the caller's thread: threads would wait for each other and for other workers' cases
// longer than they save. An operation of Tracked takes some 50 times as long as one of double.
template <class S>
inline constexpr double kFlopsOfOneCore = std::is_same_v<S, Tracked> ? 2e7 : 1e9;

// Calls part(i) once for each i of 0 … count-1 and returns when all are done. `flops`: arithmetic operations of all
// parts together. The parts must not touch each other's results; a variant's declarations hold in all of them. Ask for
// roundings and formulas before: other threads do not know ByFormula, nor who watches, so all is done here for that one.
template <class S, class Part>
void on_all_cores(int64_t count, double flops, const Part& part) {
  if (flops < kFlopsOfOneCore<S> || Watcher::current()) {
    for (int64_t i = 0; i < count; ++i) part(i);
    return;
  }
  const Precision declared = Tracked::declared();
  each_in_parallel(count, [&](int64_t i) {
    const TrackedPrecision precision(declared);
    part(i);
  });
}

}  // namespace assay
