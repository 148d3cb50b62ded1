// Keeps the text that the process of a case prints: all lines are counted, the first and the last of them kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

class Printed {
 public:
  // Kept at either end of the text: whole lines, no more than so many, and about so many bytes.
  static constexpr int64_t kLinesMax = 100;
  static constexpr size_t kBytesMax = 16384;

  void add(std::string_view text);  // in pieces of any size: of lines shorter than kBytesMax the same is kept

  int64_t lines() const;         // the last need not have ended
  std::string text() const;      // what is kept, and in its middle how many lines are not
  std::string take_last_line();  // the last that is not blank, without its end; "" when there is none

 private:
  std::string first_, last_;  // whole lines; what came after them and is kept
  int64_t first_lines_ = 0, left_out_ = 0;
};

}  // namespace assay
