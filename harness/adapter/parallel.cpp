// A thread for each processor, which take the next number until none is left.
#include "harness/adapter/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace assay {
namespace {

// A thread's stack holds its thread-locals too, and the shared arrays of all built-in kernels are such.
constexpr size_t kStackBytes = size_t{64} << 20;

void make_stacks_large() {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, kStackBytes);
  pthread_setattr_default_np(&large);
  pthread_attr_destroy(&large);
}

}  // namespace

Result<void> in_parallel(size_t count, const std::function<Result<void>(size_t)>& step) {
  make_stacks_large();
  std::vector<Result<void>> results(count);
  std::atomic<size_t> next = 0;
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) results[i] = step(i);
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency())); ++i)
    threads.emplace_back(take);
  for (std::thread& thread : threads) thread.join();
  const auto failed = std::find_if(results.begin(), results.end(), [](const auto& result) { return !result; });
  return failed == results.end() ? Result<void>{} : *failed;
}

}  // namespace assay
