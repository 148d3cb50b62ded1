// Drawing progress on standard error, so that standard output stays for results.
#include "harness/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/printable.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCells = 30;
constexpr double kTerminalPeriod = 0.1;  // seconds between two drawings
constexpr double kPlainPeriod = 10;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string clock_text(double s) {
  const auto whole = static_cast<int64_t>(s + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar_text(int64_t done, int64_t total, int64_t failed, double elapsed_s) {
  const auto filled = static_cast<int>(total > 0 ? done * kCells / total : 0);
  std::string bar;
  for (int i = 0; i < kCells; ++i) bar += i < filled ? "█" : "░";
  const double left = done > 0 ? elapsed_s / static_cast<double>(done) * static_cast<double>(total - done) : 0;
  return fmt::format("{} {}/{} cases, {} failed, {} {}", bar, done, total, failed, done == total ? "took" : "left",
                     clock_text(done == total ? elapsed_s : left));
}

Progress::Progress(int64_t total, bool terminal)
    : total_(total), terminal_(terminal), start_(Clock::now()), last_(start_) {}

void Progress::advance(bool failed) {
  ++done_;
  failed_ += failed ? 1 : 0;
  draw(done_ == total_);
}

void Progress::say(const std::string& text) {
  clear();
  std::fprintf(stderr, "%s\n", printable(text).c_str());
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::draw(bool now) {
  const auto time = Clock::now();
  if (!now && seconds(time - last_) < (terminal_ ? kTerminalPeriod : kPlainPeriod)) return;
  last_ = time;
  const double elapsed = seconds(time - start_);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", bar_text(done_, total_, failed_, elapsed).c_str());
    drawn_ = true;
  } else {
    std::fprintf(stderr, "%s/%s cases, %s failed, %s\n", std::to_string(done_).c_str(), std::to_string(total_).c_str(),
                 std::to_string(failed_).c_str(), clock_text(elapsed).c_str());
  }
  std::fflush(stderr);
}

}  // namespace assay
