// Splitting lines into what they consist of, and following sections and functions through them.
#include "harness/simt/build/finish/assembly.h"

#include <charconv>
#include <unordered_set>

namespace assay::simt::finish {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// The line up to a comment; a number sign that begins no comment is an immediate operand of other processors.
std::string_view without_comment(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted)
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == '#' && i + 1 < text.size() && kBlanks.find(text[i + 1]) != std::string_view::npos)
      return text.substr(0, i);
  }
  return text;
}

Line split(std::string_view text) {
  Line line{.text = text, .label = {}, .operation = {}, .operands = {}, .function = {}, .section = {}};
  std::string_view rest = trimmed(text);
  if (rest == "#APP" || rest == "#NO_APP") {
    line.operation = rest;
    return line;
  }
  size_t end = 0;
  while (end < rest.size() && is_symbol_character(rest[end])) ++end;
  if (end > 0 && end < rest.size() && rest[end] == ':') {
    line.label = rest.substr(0, end);
    rest = trimmed(rest.substr(end + 1));
  }
  rest = trimmed(without_comment(rest));
  if (rest.starts_with('#')) return line;
  const size_t word = std::min(rest.find_first_of(kBlanks), rest.size());
  line.operation = rest.substr(0, word);
  line.operands = trimmed(rest.substr(word));
  return line;
}

// "x.cold", "x.cold.3" -> "x": the part of a function that is rarely run counts as the function.
std::string_view whole_of(std::string_view label) {
  const size_t cold = label.rfind(".cold");
  if (cold == std::string_view::npos) return label;
  for (const char c : label.substr(cold + 5))
    if (c != '.' && (c < '0' || c > '9')) return label;
  return label.substr(0, cold);
}

struct Section {
  std::string_view name = ".text";
  bool is_thread_local = false;
};

Section named(std::string_view operands) {
  const auto parts = operands_of(operands);
  if (parts.empty()) return {};
  const bool of_threads = parts[0].starts_with(".tbss") || parts[0].starts_with(".tdata") ||
                          (parts.size() > 1 && parts[1].find('T') != std::string_view::npos);
  return {parts[0], of_threads};
}

// Which section a line belongs to, by the directives so far.
class Sections {
 public:
  void read(const Line& line) {
    if (line.operation == ".section") {
      change(named(line.operands));
    } else if (line.operation == ".text" || line.operation == ".data" || line.operation == ".bss") {
      change({line.operation, false});
    } else if (line.operation == ".pushsection") {
      stack_.push_back(now);
      change(named(line.operands));
    } else if (line.operation == ".popsection" && !stack_.empty()) {
      now = stack_.back();
      stack_.pop_back();
    } else if (line.operation == ".previous") {
      std::swap(now, before_);
    }
  }
  Section now;

 private:
  void change(Section section) {
    before_ = now;
    now = section;
  }
  Section before_;
  std::vector<Section> stack_;
};

}  // namespace

bool is_symbol_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$';
}

std::vector<std::string_view> operands_of(std::string_view operands) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= operands.size(); ++i) {
    if (i == operands.size() || (operands[i] == ',' && depth == 0)) {
      parts.push_back(trimmed(operands.substr(begin, i - begin)));
      begin = i + 1;
    } else {
      depth += operands[i] == '(' ? 1 : operands[i] == ')' ? -1 : 0;
    }
  }
  return parts;
}

std::optional<uint64_t> number_in(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Assembly::Assembly(std::string_view text) {
  std::unordered_set<std::string_view> functions;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(split(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    const Line& line = lines.back();
    if (line.operation != ".type") continue;
    const auto parts = operands_of(line.operands);
    if (parts.size() == 2 && parts[1].ends_with("function")) functions.insert(parts[0]);
  }
  Sections sections;
  std::string_view function;
  bool in_inline_assembly = false;
  for (Line& line : lines) {
    sections.read(line);
    if (line.operation == "#APP") in_inline_assembly = true;
    if (line.operation == "#NO_APP") in_inline_assembly = false;
    if (!line.label.empty() && functions.contains(whole_of(line.label))) function = whole_of(line.label);
    line.function = function;
    line.section = sections.now.name;
    line.thread_local_section = sections.now.is_thread_local;
    line.in_inline_assembly = in_inline_assembly;
    if (line.operation == ".cfi_endproc") function = {};
  }
}

void Assembly::replace(Line& line, std::string text) { line.text = replaced_.emplace_back(std::move(text)); }

std::string Assembly::print() const {
  size_t bytes = 0;
  for (const Line& line : lines) bytes += line.text.size() + 1;
  std::string text;
  text.reserve(bytes);
  for (const Line& line : lines) {
    if (line.dropped) continue;
    text += line.text;
    text += '\n';
  }
  return text;
}

}  // namespace assay::simt::finish
