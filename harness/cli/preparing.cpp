// A thread that looks at the clock.
#include "harness/cli/preparing.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/build/scratch.h"
#include "harness/cli/cli.h"

namespace assay {

Preparing::Preparing() {
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

void Preparing::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return done_; })) {
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
