// Cutting word by word, quote by quote, then line by line.
#include "harness/cli/long_quotes.h"

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

constexpr size_t kQuoteMax = 200, kLineMax = 1500;

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80; }

std::string cut_quote(std::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  size_t head = longest / 2, tail = text.size() - longest / 2;
  for (int i = 0; i < 3 && is_inside_character(text[head]); ++i) --head;
  for (int i = 0; i < 3 && tail < text.size() && is_inside_character(text[tail]); ++i) ++tail;
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
}

// Calls `part_end` at each place of `line` for where a part that begins there ends (the place itself: none does).
template <class PartEnd>
std::string with_parts_cut(std::string_view line, PartEnd part_end) {
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::max(part_end(line, at), at + 1);
    out += cut_quote(line.substr(at, end - at), kQuoteMax);
    at = end;
  }
  return out;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The end of a quote and its closing mark, or of the line where there is none. An apostrophe within a word is no mark.
size_t quote_end(std::string_view line, size_t at) {
  if (line[at] != '\'' || (at > 0 && is_letter(line[at - 1]))) return at;
  size_t end = line.find('\'', at + 1);
  while (end != std::string_view::npos && end + 1 < line.size() && is_letter(line[end + 1]))
    end = line.find('\'', end + 1);
  return end == std::string_view::npos ? line.size() : end + 1;
}

size_t word_end(std::string_view line, size_t at) { return std::min(line.find(' ', at), line.size()); }

}  // namespace

std::string without_long_quotes(std::string_view text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string quotes = with_parts_cut(text.substr(at, end - at), quote_end);
    out += cut_quote(with_parts_cut(quotes, word_end), kLineMax);
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace assay
