// Finding string literals in other languages, by how they begin and end.
#include "harness/adapter/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <vector>

namespace assay {
namespace {

bool is_cuda_or_c(const std::string& path) {
  static constexpr std::array kEndings{".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

struct Literal {
  size_t begin, end;         // of its text
  bool has_escapes = false;  // \\ is one backslash
  bool has_values = false;   // parts of it are put in when the program runs
};

std::string unescaped(std::string text) {
  for (size_t at = 0; (at = text.find("\\\\", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

// r"…", r#"…"#, r##"…"##, also br and cr (Rust); R"tag(…)tag" (C++).
void add_raw_strings(const std::string& file, std::vector<Literal>& found) {
  static const std::regex rust(R"re(\b[bc]?r(#*)")re");
  for (std::sregex_iterator i(file.begin(), file.end(), rust), none; i != none; ++i) {
    const auto begin = static_cast<size_t>(i->position() + i->length());
    const size_t end = file.find("\"" + (*i)[1].str(), begin);
    if (end != std::string::npos) found.push_back({begin, end});
  }
  static const std::regex cpp(R"lit(R"([^ ()\\\t\n]{0,16})\()lit");
  for (std::sregex_iterator i(file.begin(), file.end(), cpp), none; i != none; ++i) {
    const auto begin = static_cast<size_t>(i->position() + i->length());
    const size_t end = file.find(")" + (*i)[1].str() + "\"", begin);
    if (end != std::string::npos) found.push_back({begin, end});
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

// <<~TAG, <<-'TAG', <<TAG up to a line that is TAG alone (Ruby, shell, Perl).
void add_heredocs(const std::string& file, std::vector<Literal>& found) {
  static const std::regex opening(R"(<<[~-]?(["'`]?)([A-Za-z_]\w*)\1[^\n]*\n)");
  for (std::sregex_iterator i(file.begin(), file.end(), opening), none; i != none; ++i) {
    const auto begin = static_cast<size_t>(i->position() + i->length());
    const std::regex closing("(^|\n)[ \t]*" + (*i)[2].str() + "[ \t]*(\n|$)");
    std::smatch end;
    if (std::regex_search(file.begin() + static_cast<std::ptrdiff_t>(begin), file.end(), end, closing)) {
      const bool is_plain = (*i)[1] == "'";
      const auto last = begin + static_cast<size_t>(end.position());
      found.push_back({begin, last, !is_plain, !is_plain && file.find("#{", begin) < last});
    }
  }
}

}  // namespace

Result<CudaText> cuda_text(const std::string& path, const std::string& file, const std::string& entry) {
  if (is_cuda_or_c(path)) return CudaText{file, 1};
  std::vector<Literal> literals;
  add_raw_strings(file, literals);
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
