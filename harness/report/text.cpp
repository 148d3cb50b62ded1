// Small texts that several sinks share.
#include "harness/report/text.h"

#include <fmt/format.h>

#include <map>
#include <utility>

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

bool is_control(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 2) return lead == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;  // C1: CSI and kin
  return (lead < 0x20 && lead != '\t' && lead != '\n') || lead == 0x7F;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    if (length > 0 && !is_control(sequence)) {
      out += sequence;
    } else {
      for (const char c : sequence) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string titled_fields(const ResultRow& row, Shown shown) {
  std::string lines;
  for (const Field& field : fields())
    if (const std::string text = field.shown & shown ? field.text(row) : ""; !text.empty())
      lines += fmt::format("{}: {}\n", field.title, text);
  return lines;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string hints_text(const std::vector<ResultRow>& rows) {
  std::map<std::string, std::pair<int, const ResultRow*>> by_id;  // cases with hints, and the first of them
  for (const ResultRow& row : rows)
    if (!row.hints.empty() && by_id[row.id()].first++ == 0) by_id[row.id()].second = &row;
  std::string text;
  for (const auto& [id, found] : by_id) {
    text += fmt::format("hints in {} cases of {}; in {}\n", found.first, id, found.second->line());
    for (const std::string& hint : found.second->hints) text += "  " + printable(hint) + "\n";
  }
  return text.empty() ? "no hints\n" : text;
}

std::string replay_command(const ResultRow& row) {
  std::string command = "assay replay " + shell_quoted(row.line());
  if (!row.origin.adapter.empty()) command += " --source " + shell_quoted(row.origin.adapter) + " --op " + row.c.op;
  if (!row.origin.ops.empty()) command += " --ops " + shell_quoted(row.origin.ops);
  if (!row.options.empty())
    command += " " + row.options;  // which imply the device
  else if (row.device != "cpu")
    command += " --device " + row.device;
  return command;
}

}  // namespace assay
