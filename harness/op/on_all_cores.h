// Parts of a reference that do not depend on each other, on all cores where the whole takes long.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "harness/op/tracked.h"

namespace assay {

// Work below this is done on the caller's thread: threads would wait for each other and for other workers' cases
// longer than they save. An operation of Tracked takes some 50 times as long as one of double.
template <class S>
inline constexpr double kFlopsOfOneCore = std::is_same_v<S, Tracked> ? 2e7 : 1e9;

// Calls part(i) once for each i of 0 … count-1 and returns when all are done. `flops`: arithmetic operations of all
// parts together. The parts must not touch each other's results; a variant's declarations hold in all of them. Ask for
// roundings and formulas before: other threads do not know ByFormula.
template <class S, class Part>
void on_all_cores(int64_t count, double flops, const Part& part) {
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t i = next++; i < count; i = next++) part(i);
  };
  if (flops < kFlopsOfOneCore<S>) return work();
  const Precision declared = Tracked::declared();
  const auto work_as_declared = [&] {
    const TrackedPrecision precision(declared);
    work();
  };
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (int64_t i = 1; i < std::min(count, cores); ++i) helpers.emplace_back(work_as_declared);
  work();
}

}  // namespace assay
