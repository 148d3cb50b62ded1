// Work on many elements by several threads, where no element's result depends on another's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace assay {

// Elements that are worked on at once: few enough to stay in a cache.
inline constexpr int64_t kPart = 1 << 15;

// Calls part(begin, end) for ranges that cover 0 … count-1 once each, on as many threads as there are cores, and
// returns when all are done. A single range is called on this thread, and no other is started. The ranges must not
// touch each other's results. The others do not see the caller's thread_local variables.
template <class Part>
void in_parts(int64_t count, const Part& part) {
  const int64_t parts = (count + kPart - 1) / kPart;
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t i = next++; i < parts; i = next++) part(i * kPart, std::min(count, (i + 1) * kPart));
  };
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (int64_t i = 1; i < std::min(parts, cores); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace assay
