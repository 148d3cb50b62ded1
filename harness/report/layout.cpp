// Cutting and wrapping UTF-8 text.
#include "harness/report/layout.h"

#include <algorithm>

#include "harness/report/text.h"

namespace assay {
namespace {

// The longest prefix of at most `columns` code points.
std::string_view prefix(std::string_view text, size_t columns) {
  size_t end = 0;
  for (; end < text.size(); ++end)
    if ((text[end] & 0xC0) != 0x80 && columns-- == 0) break;
  return text.substr(0, end);
}

}  // namespace

size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(std::string_view text, size_t columns) {
  return width(text) <= columns ? std::string(text) : std::string(prefix(text, columns - 1)) + "…";
}

std::string wrapped(std::string_view text, size_t indent, size_t columns, size_t lines_max) {
  std::string out;
  size_t lines = 0;
  while (!text.empty()) {
    if (++lines > lines_max) return out + std::string(indent, ' ') + "…\n";
    std::string_view line = prefix(first_line(text), columns - indent);
    const bool broken = line.size() < first_line(text).size();
    if (const size_t blank = line.rfind(' ');
        broken && text[line.size()] != ' ' && blank != std::string_view::npos && blank > 0)
      line = line.substr(0, blank);
    out += std::string(indent, ' ') + std::string(line) + "\n";
    text.remove_prefix(line.size());
    if (!text.empty() && (text[0] == '\n' || (broken && text[0] == ' '))) text.remove_prefix(1);
  }
  return out;
}

}  // namespace assay
