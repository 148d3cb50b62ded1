// Linux's clocks of a process, and the states of its threads.
#include "harness/search/time_limit.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/device/cuda/gpu_device.h"

namespace assay {
namespace {

constexpr double kWallFactor = 10;
constexpr auto kPeriod = std::chrono::milliseconds(50);     // between two looks at a case that is late on the clock
constexpr auto kPatience = std::chrono::milliseconds(250);  // at most, between two looks at any other
constexpr int kLooksAsleep = 3;  // in a row: one that computes sleeps for a moment only, as when it prints

// Whether a thread runs or is about to (R), or waits for a disk (D).
bool is_active(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const size_t name_end = text.rfind(')');  // a name may hold anything
  return name_end != std::string::npos && name_end + 2 < text.size() &&
         (text[name_end + 2] == 'R' || text[name_end + 2] == 'D');
}

}  // namespace

TimeLimit::TimeLimit(pid_t process, Seconds limit, const std::string& device)
    : process_(process),
      limit_(limit),
      may_sleep_(device == kGpuDevice),
      started_(Clock::now()),
      next_look_(started_ + std::chrono::duration_cast<Clock::duration>(limit)),
      processor_time_before_(processor_time()) {}

std::chrono::milliseconds TimeLimit::until_next_look() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next_look_ - Clock::now());
  return std::clamp(left + std::chrono::milliseconds(1), std::chrono::milliseconds(0), kPatience);
}

std::string TimeLimit::over() {
  const auto now = Clock::now();
  if (now < next_look_) return "";
  next_look_ = now + kPeriod;
  looks_asleep_ = !may_sleep_ && sleeps() ? looks_asleep_ + 1 : 0;
  const std::string late = fmt::format("not done after {:.3g} s", limit_.count());
  if (looks_asleep_ >= kLooksAsleep) return late + ", blocked in a system call";
  return processor_time() - processor_time_before_ >= limit_ || now - started_ >= kWallFactor * limit_ ? late : "";
}

bool TimeLimit::comes_to_half() {
  if (is_past_half_ || Clock::now() - started_ < limit_ / 2 || processor_time() - processor_time_before_ < limit_ / 2)
    return false;
  return is_past_half_ = true;
}

TimeLimit::Seconds TimeLimit::processor_time() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return Seconds(static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec));
}

bool TimeLimit::sleeps() const {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(process_) + "/task", error);
  return !error &&
         std::none_of(begin(threads), end(threads), [](const auto& entry) { return is_active(entry.path()); });
}

}  // namespace assay
