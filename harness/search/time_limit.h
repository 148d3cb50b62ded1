// The time limit of a case that runs in another process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

namespace assay {

// A case has used up its limit when its process has taken that much processor time, so that a busy machine makes no
// timeouts; or when the limit has passed on the clock and the process sleeps; or when kWallFactor times as much has.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  TimeLimit(pid_t process, Seconds limit, const std::string& device);

  std::chrono::milliseconds until_next_look() const;
  std::string over();    // "" when it is not, else how: "not done after 2 s"
  bool comes_to_half();  // true once

 private:
  Seconds processor_time() const;
  bool sleeps() const;

  pid_t process_;
  Seconds limit_;
  bool may_sleep_;  // it waits for a GPU
  Clock::time_point started_, next_look_;
  Seconds processor_time_before_;
  int looks_asleep_ = 0;
  bool is_past_half_ = false;
};

}  // namespace assay
