// Drawing progress on standard error, so that standard output stays for results.
#include "harness/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "harness/base/printable.h"
#include "harness/report/layout.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kCellsMin = 6, kCellsMax = 30;
constexpr double kTerminalPeriod = 0.1;  // seconds between two drawings
constexpr double kPlainPeriod = 10;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::string clock_text(double s) {
  const auto whole = static_cast<int64_t>(s + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string bar_text(int64_t done, int64_t total, int64_t failed, double elapsed_s, size_t columns) {
  const double left = done > 0 ? elapsed_s / static_cast<double>(done) * static_cast<double>(total - done) : 0;
  const std::string text = fmt::format("{}/{} cases, {} failed, {} {}", done, total, failed,
                                       done == total ? "took" : "left", clock_text(done == total ? elapsed_s : left));
  const auto cells = std::min(kCellsMax, static_cast<int64_t>(columns) - std::ssize(text) - 2);
  if (cells < kCellsMin) return columns > 0 ? cut(text, columns - 1) : text;
  std::string bar;
  for (int64_t i = 0; i < cells; ++i) bar += total > 0 && i < done * cells / total ? "█" : "░";
  return bar + " " + text;
}

Progress::Progress(int64_t total, bool terminal, size_t columns)
    : total_(total), terminal_(terminal), columns_(columns), start_(Clock::now()), last_(start_) {}

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
  if (!now && seconds(time - last_) < (terminal_ ? kTerminalPeriod : plain_period_)) return;
  last_ = time;
  const double elapsed = seconds(time - start_);
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", bar_text(done_, total_, failed_, elapsed, columns_).c_str());
    drawn_ = true;
  } else {
    constexpr size_t kNoRoomForCells = 0;
    plain_period_ = kPlainPeriod;
    std::fprintf(stderr, "%s\n", bar_text(done_, total_, failed_, elapsed, kNoRoomForCells).c_str());
  }
  std::fflush(stderr);
}

}  // namespace assay
