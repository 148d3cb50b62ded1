// A thread for each processor, which take the next number until none is left.
#include "harness/adapter/build/parallel.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/base/printable.h"

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

// The threads that are still at work, and whoever waits for the last of them.
class Working {
 public:
  explicit Working(size_t threads) : threads_(threads) {}

  void one_is_done() {
    const std::lock_guard lock(mutex_);
    if (--threads_ == 0) none_.notify_one();
  }
  void wait(const std::string& doing) {
    const bool shown = !doing.empty() && isatty(STDERR_FILENO) != 0;
    std::unique_lock lock(mutex_);
    int seconds = 0;
    while (!none_.wait_for(lock, std::chrono::seconds(1), [this] { return threads_ == 0; }))
      if (++seconds; shown) std::fprintf(stderr, "\r\033[K%s, %d s", printable(doing).c_str(), seconds);
    if (shown && seconds > 0) std::fputs("\r\033[K", stderr);
  }

 private:
  size_t threads_;
  std::mutex mutex_;
  std::condition_variable none_;
};

}  // namespace

Result<void> in_parallel(size_t count, const std::function<Result<void>(size_t)>& step, const std::string& doing) {
  make_stacks_large();
  std::vector<Result<void>> results(count);
  std::atomic<size_t> next = 0;
  const size_t threads_wanted = std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  Working working(threads_wanted);
  const auto take = [&] {
    for (size_t i = next++; i < count; i = next++) results[i] = step(i);
    working.one_is_done();
  };
  std::vector<std::thread> threads;
  while (threads.size() < threads_wanted) threads.emplace_back(take);
  working.wait(doing);
  for (std::thread& thread : threads) thread.join();
  const auto failed = std::find_if(results.begin(), results.end(), [](const auto& result) { return !result; });
  return failed == results.end() ? Result<void>{} : *failed;
}

}  // namespace assay
