// One clock for all compilers of the process; they run in several threads.
#include "harness/adapter/build/compile_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "harness/base/interrupt.h"
#include "harness/simt/runtime/build_kind.h"

namespace assay {
namespace {

using Clock = Process::Clock;
using Seconds = std::chrono::duration<double>;

constexpr auto kGrace = std::chrono::seconds(2);

class CompileTime {
 public:
  void limit(double seconds) { limit_ = Seconds(seconds); }
  void end_at(Clock::time_point end) { end_ = end; }
  void prepare(const std::string& file) {
    const std::scoped_lock lock(mutex_);
    file_ = file;
    last_ = Clock::now();
  }
  void go_on() {
    const std::scoped_lock lock(mutex_);
    last_ = Clock::now();
  }

  // How long a compiler may run from now on; nothing when none may start.
  std::optional<Seconds> left() {
    go_on();
    if (ended()) return std::nullopt;
    return end_ ? std::min(limit_, Seconds(*end_ - Clock::now())) : limit_;
  }
  void compiler_was_killed() {
    const std::scoped_lock lock(mutex_);
    if (!budget_is_over()) limit_passed_ = true;
  }

  std::optional<Error> ended() {
    const std::scoped_lock lock(mutex_);
    if (limit_passed_) return over_limit();
    return budget_is_over() ? std::optional(over_budget()) : std::nullopt;
  }
  std::optional<Error> hangs() {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now() - kGrace;
    if (end_ && now >= *end_) return over_budget();
    return now - last_ >= limit_ ? std::optional(over_limit()) : std::nullopt;
  }
  bool budget_was_told() {
    const std::scoped_lock lock(mutex_);
    return budget_was_told_;
  }

 private:
  bool budget_is_over() const { return end_ && Clock::now() >= *end_; }
  Error over_limit() const {
    return {fmt::format("{} was not read and compiled within {:.4g} s", file_, limit_.count()),
            "--compile-limit 10m gives it more"};
  }
  Error over_budget() {
    budget_was_told_ = true;
    return {fmt::format("INCONCLUSIVE: --budget ended before {} was read and compiled, and nothing was judged", file_),
            "give more time"};
  }

  std::mutex mutex_;
  Seconds limit_{kCompileLimitS * kSlowdown};
  std::optional<Clock::time_point> end_;
  std::string file_ = "the source";
  Clock::time_point last_ = Clock::now();
  bool limit_passed_ = false, budget_was_told_ = false;
};

CompileTime& compile_time() {
  static CompileTime time;
  return time;
}

}  // namespace

void limit_compiling(double seconds) { compile_time().limit(seconds); }
void end_compiling_at(Clock::time_point end) { compile_time().end_at(end); }
void now_preparing(const std::string& file) { compile_time().prepare(file); }
void preparation_goes_on() { compile_time().go_on(); }
std::optional<Error> preparation_ended() { return compile_time().ended(); }
std::optional<Error> preparation_hangs() { return compile_time().hangs(); }
bool budget_ended_preparation() { return compile_time().budget_was_told(); }

CommandResult run_compiler(const std::vector<std::string>& words,
                           const std::vector<std::pair<std::string, std::string>>& environment) {
  const auto left = compile_time().left();
  if (!left) return {.stopped = true, .output = {}};
  auto ran = run_process({.words = words, .environment = environment, .errors = Redirect::merged()},
                         {.limit = *left, .stop = &interrupted_flag()});
  if (!ran) return {127, false, ran.error().what};
  if (ran->how == ProcessResult::How::timed_out) compile_time().compiler_was_killed();
  compile_time().go_on();
  return {ran->end.shell_code(), ran->how != ProcessResult::How::ended, std::move(ran->output)};
}

}  // namespace assay
