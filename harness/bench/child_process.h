// A run of this program in a process of its own, which answers in lines: a crash or a hang in it is an outcome.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace assay {

struct ChildEnd {
  enum class How : uint8_t { done, crashed, timed_out, stopped };
  How how = How::done;
  std::string detail;  // of a crash or a timeout, one line with the last that the process said on standard error
};

// Runs `program arguments…` (this program: "/proc/self/exe") and hands each line of its standard output to `on_line`.
// Ends with the process, after `limit` on the clock, or soon after `*stop` turns true; the process is gone then.
ChildEnd run_child(const std::string& program, const std::vector<std::string>& arguments,
                   const std::function<void(const std::string& line)>& on_line, std::chrono::duration<double> limit,
                   const std::atomic<bool>* stop = nullptr);

}  // namespace assay
