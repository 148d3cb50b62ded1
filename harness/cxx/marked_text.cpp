// Walking over lines and markers.
#include "harness/cxx/marked_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/scanner.h"

namespace assay::cxx {

std::string place_of(std::string_view text, size_t at) {
  size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1), lines = 0;
  for (;;) {
    const size_t first = begin == std::string_view::npos ? 0 : begin + 1;
    Scanner scanner(text.substr(first));
    if (scanner.skip("# ")) {
      const std::string number(scanner.digits());
      if (!number.empty() && scanner.skip(" \""))
        return fmt::format("{}:{}", scanner.take([](char c) { return c != '"'; }), std::stoul(number) + lines - 1);
    }
    if (begin == std::string_view::npos || begin == 0) return "the file";
    ++lines;
    begin = text.rfind('\n', begin - 1);
  }
}

std::string emptied(std::string_view text) {
  std::string left;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("# ") && line.size() > 2 && is_digit(line[2])) left += line;
    if (end < text.size()) left += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return left;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (!text.starts_with("# ")) line += text.substr(0, end);
    if (end < text.size()) line += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return line;
}

}  // namespace assay::cxx
