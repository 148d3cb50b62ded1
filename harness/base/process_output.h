// The output of a process on one stream, as far as it was read and not taken yet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/descriptor.h"

namespace assay {

// The last line that is not blank, complete or not; "" when there is none.
std::string last_line(std::string_view text);

class ProcessOutput {
 public:
  ProcessOutput() = default;
  explicit ProcessOutput(Descriptor pipe);

  int fd() const { return pipe_.get(); }  // to be polled; -1 at the end
  bool is_open() const { return pipe_.is_open(); }
  bool read_some();                        // what is there now, without waiting; false at the end
  std::optional<std::string> next_line();  // a complete one, without its '\n'
  std::string take();                      // everything
  std::string_view text() const { return std::string_view(text_).substr(taken_); }
  std::string last_line() const { return assay::last_line(text()); }

 private:
  Descriptor pipe_;
  std::string text_;
  size_t taken_ = 0;
};

}  // namespace assay
