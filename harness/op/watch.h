// The numbers that references hand to functions whose usual formulas differ beyond some range, for whoever watches.
//
// Tracked's functions call watch() with what they are given, and references do where the number that matters is not an
// argument of theirs: a maximum that kernels may forget to subtract, a variance beside its eps. The harness so learns
// what data reach (ranges.h) without knowing an op. Nobody watches in ordinary runs: it costs a branch then.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace assay {

enum class Watched : uint8_t {
  exponent,        // x of exp(x), where the reference itself takes it
  maximum,         // what is taken from the exponents of a row: its maximum, or the logarithm of its sum
  gate,            // x of 1/(1 + exp(-x)), which the reference takes without overflow
  logarithm,       // x of log(x)
  above_eps,       // x/eps of x + eps, where that is a divisor or under a root
  least_variance,  // variance/mean² of a row whose mean is subtracted
  tanh,            // x of tanh(x)
  erf,             // x of erf(x)
  angle,           // |x| of sin(x) and cos(x)
  divisor,         // |y| of x/y, where y was computed
  power,           // beta^t of 1 - beta^t
  share_of_limit,  // a running sum over the limit that it is compared with
  stored_scale,    // |d| of a block's scale, before it is stored as f16
  sum_terms,       // how many terms a sum has
  sum_size,        // what the terms' magnitudes come to
  sum_left,        // |sum| over that: what cancelling leaves
};
inline constexpr int kWatched = static_cast<int>(Watched::sum_left) + 1;

// Sees what references compute with on this thread, for as long as the object lives.
class Watcher {
 public:
  Watcher() : outer_(std::exchange(current_, this)) { ++watchers_; }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  virtual void see(Watched what, double number) = 0;

  // The thread's own watcher is looked for only where some thread has one: a thread's variables cost a call.
  static Watcher* current() { return watchers_.load(std::memory_order_relaxed) == 0 ? nullptr : current_; }

 protected:
  ~Watcher() {
    --watchers_;
    current_ = outer_;
  }

 private:
  inline static std::atomic<int> watchers_ = 0;  // of all threads
  inline static thread_local Watcher* current_ = nullptr;
  Watcher* outer_;
};

inline void watch(Watched what, double number) {
  if (Watcher* watcher = Watcher::current()) [[unlikely]]
    watcher->see(what, number);
}

}  // namespace assay
