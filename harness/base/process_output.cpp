// Reading a pipe that never makes the reader wait, and cutting what came into lines.
#include "harness/base/process_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace assay {

std::string last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of("\n ") + 1);  // npos + 1 is 0: nothing
  return std::string(text.substr(text.rfind('\n') + 1));
}

ProcessOutput::ProcessOutput(Descriptor pipe) : pipe_(std::move(pipe)) { fcntl(pipe_.get(), F_SETFL, O_NONBLOCK); }

bool ProcessOutput::read_some() {
  // A process that prints without end must not keep its reader from looking at the clock.
  constexpr int kReadsMax = 16;
  char buffer[65536];
  for (int i = 0; i < kReadsMax && is_open(); ++i) {
    const ssize_t n = read(pipe_.get(), buffer, sizeof buffer);
    if (n > 0) text_.append(buffer, static_cast<size_t>(n));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) pipe_.close();
  }
  return is_open();
}

std::optional<std::string> ProcessOutput::next_line() {
  const size_t end = text_.find('\n', taken_);
  if (end == std::string::npos) {
    // Only here, once for many lines: moving the rest to the front for each would take time squared.
    text_.erase(0, std::exchange(taken_, 0));
    return std::nullopt;
  }
  std::string line = text_.substr(taken_, end - taken_);
  taken_ = end + 1;
  return line;
}

std::string ProcessOutput::take() {
  std::string all(text());
  text_.clear();
  taken_ = 0;
  return all;
}

}  // namespace assay
