// The helper threads: each waits for a ticket, runs the work, and waits again.
#include "harness/simt/runtime/thread_pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/signal_stack.h"

namespace assay::simt {
namespace {

class Pool {
 public:
  void run(unsigned helpers, const std::function<void()>& work) {
    {
      const std::lock_guard lock(mutex_);
      while (started_ < helpers) start();
      work_ = &work;
      tickets_ = unfinished_ = helpers;
    }
    wake_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return unfinished_ == 0; });
  }

 private:
  void start() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    // The memory of thread-locals is taken from the thread's stack, and every kernel module's shared arrays are
    // thread-locals: ask glibc for its minimum, which includes them.
    using MinStack = size_t (*)(const pthread_attr_t*);
    const auto min_stack = reinterpret_cast<MinStack>(dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    const size_t thread_locals = min_stack == nullptr ? size_t{64} << 20 : min_stack(&attributes);
    pthread_attr_setstacksize(&attributes, (thread_locals + (size_t{1} << 20) + 4095) & ~size_t{4095});
    pthread_t thread;
    const int failed = pthread_create(
        &thread, &attributes,
        [](void* pool) -> void* {
          static_cast<Pool*>(pool)->serve();
          return nullptr;
        },
        this);
    pthread_attr_destroy(&attributes);
    SIMT_CHECK(failed == 0, "no memory for one more OS thread; use fewer");
    pthread_detach(thread);
    ++started_;
  }

  void serve() {
    give_this_thread_a_signal_stack();
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return tickets_ > 0; });
      --tickets_;
      lock.unlock();
      (*work_)();
      lock.lock();
      if (--unfinished_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void()>* work_ = nullptr;
  unsigned started_ = 0, tickets_ = 0, unfinished_ = 0;
};

std::mutex caller_mutex;
Pool* pool = nullptr;
pid_t pool_owner = 0;

}  // namespace

void on_threads(unsigned count, const std::function<void()>& work) {
  const std::unique_lock lock(caller_mutex, std::try_to_lock);
  if (count <= 1 || !lock.owns_lock()) return work();
  if (pool_owner != getpid()) {
    pool = new Pool;  // never freed: its threads live until the process ends, and a parent's pool is not ours to touch
    pool_owner = getpid();
  }
  pool->run(count - 1, work);
}

}  // namespace assay::simt
