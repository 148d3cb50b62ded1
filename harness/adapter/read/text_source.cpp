// Finding string literals in other languages, by how they begin and end.
#include "harness/adapter/read/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <vector>

#include "harness/base/scanner.h"

namespace assay {
namespace {

struct Literal {
  size_t begin, end;         // of its text
  bool has_escapes = false;  // \\ is one backslash
  bool has_values = false;   // parts of it are put in when the program runs
};

std::string unescaped(std::string text) {
  for (size_t at = 0; (at = text.find("\\\\", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

// The end of a line: one that ends in \r is not the same as one that does not.
std::string_view without_blanks(std::string_view line) {
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  return line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
}

// r"…", r#"…"#, r##"…"##, also br and cr (Rust).
void add_rust_strings(std::string_view file, std::vector<Literal>& found) {
  for (size_t quote = file.find('"'); quote != std::string_view::npos; quote = file.find('"', quote + 1)) {
    size_t r = quote;
    while (r > 0 && file[r - 1] == '#') --r;
    if (r == 0 || file[--r] != 'r') continue;
    const size_t begin = r > 0 && (file[r - 1] == 'b' || file[r - 1] == 'c') ? r - 1 : r;
    if (begin > 0 && is_word_char(file[begin - 1])) continue;
    const std::string close = "\"" + std::string(file.substr(r + 1, quote - r - 1));
    const size_t end = file.find(close, quote + 1);
    if (end != std::string_view::npos) found.push_back({quote + 1, end});
  }
}

// R"tag(…)tag" (C++).
void add_cpp_strings(std::string_view file, std::vector<Literal>& found) {
  constexpr size_t kTagMax = 16;
  Scanner scan(file);
  while (scan.skip_past("R\"")) {
    const size_t open = scan.at();
    const auto tag = scan.take([](char c) { return std::string_view(" ()\\\t\n").find(c) == std::string_view::npos; });
    if (tag.size() <= kTagMax && scan.skip("(")) {
      const size_t end = file.find(")" + std::string(tag) + "\"", scan.at());
      if (end != std::string_view::npos) found.push_back({scan.at(), end});
    } else {
      scan.go_to(open);
    }
  }
}

// """…""" and '''…''', with any prefix (Python, Julia, Kotlin).
void add_triple_quotes(const std::string& file, std::vector<Literal>& found) {
  for (size_t at = 0; (at = file.find_first_of("\"'", at)) != std::string::npos;) {
    const std::string quotes(3, file[at]);
    if (file.compare(at, 3, quotes) != 0) {
      ++at;
      continue;
    }
    const size_t end = file.find(quotes, at + 3);
    if (end == std::string::npos) return;
    size_t prefix = at;
    while (prefix > 0 && std::isalpha(static_cast<unsigned char>(file[prefix - 1])) != 0) --prefix;
    const auto has = [&](const char* letters) {
      return std::string_view(file).substr(prefix, at - prefix).find_first_of(letters) != std::string::npos;
    };
    found.push_back({at + 3, end, !has("rR"), has("fF")});
    at = end + 3;
  }
}

// The tag of <<~TAG, <<-'TAG' or <<TAG, and the quotes around it; "" when no heredoc opens here.
struct Heredoc {
  std::string_view tag, quote;
};

Heredoc heredoc_at(Scanner& scan) {
  if (!scan.skip("~")) scan.skip("-");
  Heredoc opening;
  for (const char* quote : {"\"", "'", "`"})
    if (opening.quote.empty() && scan.skip(quote)) opening.quote = quote;
  if (!scan.at_end() && !is_digit(scan.rest().front())) opening.tag = scan.word();
  return scan.skip(opening.quote) ? opening : Heredoc{};
}

// Up to a line that is the tag alone (Ruby, shell, Perl).
void add_heredocs(std::string_view file, std::vector<Literal>& found) {
  std::map<std::string_view, std::vector<size_t>> lines;  // where each begins, blanks around it aside
  for (size_t begin = 0; begin < file.size(); begin = std::min(file.find('\n', begin), file.size() - 1) + 1)
    lines[without_blanks(file.substr(begin, file.find('\n', begin) - begin))].push_back(begin);
  Scanner scan(file);
  while (scan.skip_past("<<")) {
    const size_t after = scan.at();
    const Heredoc opening = heredoc_at(scan);
    if (opening.tag.empty() || !scan.skip_past("\n")) {
      scan.go_to(after - 1);  // <<<TAG opens one, too
      continue;
    }
    const size_t begin = scan.at();
    const std::vector<size_t>& closings = lines[opening.tag];
    const auto closing = std::lower_bound(closings.begin(), closings.end(), begin);
    if (closing == closings.end()) continue;
    const size_t end = *closing == begin ? begin : *closing - 1;
    const bool is_plain = opening.quote == "'";
    found.push_back({begin, end, !is_plain, !is_plain && file.find("#{", begin) < end});
  }
}

}  // namespace

bool is_cuda_file(const std::string& path) {
  static constexpr std::array kEndings{".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

Result<CudaText> cuda_text(const std::string& path, const std::string& file, const std::string& entry) {
  if (is_cuda_file(path)) return CudaText{file, 1};
  std::vector<Literal> literals;
  add_rust_strings(file, literals);
  add_cpp_strings(file, literals);
  add_triple_quotes(file, literals);
  add_heredocs(file, literals);
  std::vector<CudaText> texts;
  for (const Literal& literal : literals) {
    std::string text = file.substr(literal.begin, literal.end - literal.begin);
    if (text.find("__global__") == std::string::npos || text.find(entry) == std::string::npos) continue;
    const auto before = file.begin() + static_cast<std::ptrdiff_t>(literal.begin);
    const int line = 1 + static_cast<int>(std::count(file.begin(), before, '\n'));
    if (literal.has_values)
      return fail(fmt::format("{}:{}: parts of this string are put in when the program runs", path, line),
                  "give the finished text of the kernel, in a file of its own");
    texts.push_back({literal.has_escapes ? unescaped(std::move(text)) : std::move(text), line});
  }
  if (texts.size() == 1) return texts[0];
  const std::string which = entry.empty() ? "" : fmt::format(" and '{}'", entry);
  if (texts.empty())
    return fail(fmt::format("{}: no string in it holds __global__{}", path, which),
                "raw strings, triple quotes and heredocs are looked at");
  std::string lines;
  for (const CudaText& text : texts) lines += (lines.empty() ? "" : ", ") + std::to_string(text.first_line);
  return fail(fmt::format("{}: {} strings hold __global__{}, at lines {}", path, texts.size(), which, lines),
              "say which with --entry and a part of its text, such as a kernel's name");
}

}  // namespace assay
