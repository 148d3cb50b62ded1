// A thread that looks at the clock.
#include "harness/cli/preparing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"

namespace assay {

Preparing::Preparing(std::chrono::milliseconds first_word) : next_word_(first_word) {
  preparation_goes_on();
  thread_ = std::thread([this] { watch(); });
}

Preparing::~Preparing() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Preparing::say_that_it_goes_on() {
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began_);
  if (taken < next_word_) return;
  constexpr std::chrono::milliseconds kSilentMost = std::chrono::minutes(1);
  next_word_ = taken + std::min(taken, kSilentMost);
  say_to(stderr, "assay: {} s so far for reading, compiling and trying how the kernel is called\n",
         std::chrono::duration_cast<std::chrono::seconds>(taken).count());
}

void Preparing::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return done_; })) {
    say_that_it_goes_on();
    const auto error = preparation_hangs();
    if (!error) continue;
    usage_error(*error);
    std::fflush(nullptr);
    std::error_code ignored;
    if (make_scratch_folder()) std::filesystem::remove_all(scratch_folder(), ignored);
    std::_Exit(budget_ended_preparation() ? kExitInconclusive : kExitUsage);
  }
}

}  // namespace assay
