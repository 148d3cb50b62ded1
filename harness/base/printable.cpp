// UTF-8, sequence by sequence.
#include "harness/base/printable.h"

#include <algorithm>

namespace assay {
namespace {

// The length of the well-formed UTF-8 sequence that `text` begins with, 0 when there is none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF). U+FFFE and U+FFFF do not count either: XML forbids them.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool well_formed = follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2);
    const bool noncharacter = lead == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE;
    return well_formed && !noncharacter ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4)
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

// The code point of a well-formed sequence.
char32_t code_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  char32_t code = sequence.size() == 1 ? lead : lead & (0xFFu >> (sequence.size() + 1));
  for (const char c : sequence.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

// Controls (C0, C1), and the characters that hide or reorder what stands beside them: direction marks, embeddings,
// overrides and isolates, separators of lines, and those without width that no script needs.
bool is_hidden(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kHidden[] = {{0x00, 0x08},     {0x0B, 0x1F},      {0x7F, 0x9F},     {0x061C, 0x061C},
                                      {0x200B, 0x200B}, {0x200E, 0x200F},  {0x2028, 0x202E}, {0x2060, 0x206F},
                                      {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F}};
  return std::ranges::any_of(kHidden, [=](const Range& range) { return range.first <= code && code <= range.last; });
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    if (length > 0 && !is_hidden(code_point(sequence))) {
      out += sequence;
    } else {
      for (const char c : sequence) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  const bool hidden = text.find('\n') != std::string_view::npos || printable(text) != text;
  std::string out = hidden ? "$'" : "'";
  for (const char c : text) {
    if (!hidden) {
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    } else if (c == '\'' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) {
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));  // \xNN would take digits that follow it
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string cpp_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string line_directive(int line, std::string path) {
  for (char& c : path)
    if (c == '"' || c == '\\') c = '\'';
  return fmt::format("#line {} {}\n", line, cpp_literal(path));
}

}  // namespace assay
