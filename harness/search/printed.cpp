// Counting and cutting at the ends of lines.
#include "harness/search/printed.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/process_output.h"

namespace assay {
namespace {

int64_t ends_in(std::string_view text) { return std::ranges::count(text, '\n'); }

// How many bytes in front of `text` are not among its last lines.
size_t before_last_lines(std::string_view text) {
  size_t begin = text.size();
  for (int64_t lines = 0; lines < Printed::kLinesMax && begin > 0; ++lines) {
    const size_t end = begin >= 2 ? text.rfind('\n', begin - 2) : std::string_view::npos;
    const size_t next = end == std::string_view::npos ? 0 : end + 1;
    if (text.size() - next > Printed::kBytesMax) break;
    begin = next;
  }
  return begin;
}

}  // namespace

void Printed::add(std::string_view text) {
  last_ += text;
  size_t at = 0;
  while (first_lines_ < kLinesMax && first_.size() < kBytesMax) {
    const size_t end = last_.find('\n', at);
    if (end == std::string::npos || end + 1 - at > kBytesMax) break;
    first_.append(last_, at, end + 1 - at);
    at = end + 1;
    ++first_lines_;
  }
  last_.erase(0, at);
  if (last_.size() <= 2 * kBytesMax) return;
  const size_t surplus = last_.size() - 2 * kBytesMax;  // cut within a line, of which text() shows nothing
  left_out_ += ends_in(std::string_view(last_).substr(0, surplus));
  last_.erase(0, surplus);
}

int64_t Printed::lines() const {
  return first_lines_ + left_out_ + ends_in(last_) + (last_.empty() || last_.ends_with('\n') ? 0 : 1);
}

std::string Printed::text() const {
  const size_t cut = before_last_lines(last_);
  const std::string_view kept = std::string_view(last_).substr(cut);
  const int64_t missing = lines() - first_lines_ - ends_in(kept) - (kept.empty() || kept.ends_with('\n') ? 0 : 1);
  return first_ + (missing > 0 ? fmt::format("… {} lines are left out …\n", missing) : "") + std::string(kept);
}

std::string Printed::take_last_line() {
  const bool in_first = last_line(last_).empty();
  std::string& from = in_first ? first_ : last_;
  const std::string line = last_line(from);
  if (in_first) {
    first_lines_ = ends_in(from.substr(0, from.rfind(line)));
    last_.clear();
  }
  from.erase(from.rfind(line));
  return line;
}

}  // namespace assay
