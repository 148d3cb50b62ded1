// Work on many elements by several threads, where no element's result depends on another's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace assay {

// Calls each(i) once for every i of 0 … count-1, on as many threads as there are cores, and returns when all are done.
// A single one is called on this thread, and no other is started. The others do not see the caller's thread_local
// variables.
template <class Each>
void each_in_parallel(int64_t count, const Each& each) {
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t i = next++; i < count; i = next++) each(i);
  };
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (int64_t i = 1; i < std::min(count, cores); ++i) helpers.emplace_back(work);
  work();
}

// Elements that are worked on at once: few enough to stay in a cache.
inline constexpr int64_t kPart = 1 << 15;

// Calls part(begin, end) for ranges that cover 0 … count-1 once each, as each_in_parallel does. The ranges must not
// touch each other's results.
template <class Part>
void in_parts(int64_t count, const Part& part) {
  each_in_parallel((count + kPart - 1) / kPart, [&](int64_t i) { part(i * kPart, std::min(count, (i + 1) * kPart)); });
}

}  // namespace assay
