// Reading and laying out help pages.
#include "harness/cli/help_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/scanner.h"
#include "harness/report/layout.h"
#include "harness/report/text.h"

namespace assay {
namespace {

using Part = HelpPart::Kind;

constexpr size_t kIndent = 4;             // of definitions and examples, here and in the pages
constexpr size_t kTermMax = 36;           // a longer term has a line of its own
constexpr size_t kNarrow = 72;            // on a narrower terminal every term has
constexpr size_t kEveryLine = 1'000'000;  // nothing is left out of a help page

// Without the blanks that line up what follows.
std::string with_single_blanks(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text))
    if (c != ' ' || out.back() != ' ') out += c;
  return out;
}

HelpPart indented_part(std::string_view line) {
  const std::string_view body = trimmed(line);
  const size_t gap = body.find("  ");
  const std::string_view text = gap == std::string_view::npos ? "" : trimmed(body.substr(gap));
  const bool is_comment = text.starts_with('#');
  if (text.empty() || is_comment) return {Part::example, "", std::string(line.substr(kIndent))};
  return {Part::definition, std::string(body.substr(0, gap)), with_single_blanks(text)};
}

// `column`: where the text begins, if the terminal has room for two columns.
std::string definition_text(const HelpPart& part, size_t column, const Terminal& terminal) {
  const std::string term = terminal.in(Tone::strong, part.term);
  if (terminal.columns < kNarrow)
    return fmt::format("  {}\n{}", term, wrapped(part.text, 6, terminal.columns, kEveryLine));
  const std::string text = wrapped(part.text, column, terminal.columns, kEveryLine);
  if (kIndent + width(part.term) + 2 > column) return fmt::format("{:{}}{}\n{}", "", kIndent, term, text);
  return fmt::format("{:{}}{}{}", "", kIndent, term, text.substr(kIndent + width(part.term)));
}

// Behind the longest term of the list that begins here.
size_t text_column(std::vector<HelpPart>::const_iterator part, std::vector<HelpPart>::const_iterator end) {
  size_t longest = 0;
  for (; part != end && part->kind == Part::definition; ++part)
    if (width(part->term) <= kTermMax) longest = std::max(longest, width(part->term));
  return kIndent + longest + 2;
}

// The text's characters as the formatter prints them, words in backticks bold.
std::string roff(std::string_view text) {
  std::string out;
  bool bold = false;
  for (const char c : text) {
    if (c == '`') {
      out += (bold = !bold) ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    if (c == '\n') out += "\\&";  // a line that begins with a point or a quote would be a request
  }
  return "\\&" + out;
}

}  // namespace

std::vector<HelpPart> read_help(std::string_view markdown) {
  std::vector<HelpPart> parts;
  bool goes_on = false;  // with the last part
  while (!markdown.empty()) {
    const std::string_view line = first_line(markdown);
    markdown.remove_prefix(std::min(markdown.size(), line.size() + 1));
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) {
      goes_on = false;
    } else if (goes_on && indent > kIndent && parts.back().kind == Part::definition) {
      parts.back().text += " " + with_single_blanks(line);
    } else if (indent >= kIndent) {
      HelpPart part = indented_part(line);
      if (goes_on && part.kind == Part::example && parts.back().kind == Part::example) {
        parts.back().text += "\n" + part.text;
      } else {
        parts.push_back(std::move(part));
      }
      goes_on = true;
    } else if (line.starts_with('#')) {
      parts.push_back({Part::heading, "", std::string(trimmed(line.substr(line.find(' '))))});
      goes_on = false;
    } else if (goes_on && parts.back().kind == Part::paragraph) {
      parts.back().text += " " + std::string(trimmed(line));
    } else {
      parts.push_back({Part::paragraph, "", std::string(trimmed(line))});
      goes_on = true;
    }
  }
  return parts;
}

std::string help_text(std::string_view markdown, const Terminal& terminal) {
  std::string text;
  const std::vector<HelpPart> parts = read_help(markdown);
  size_t column = 0;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const bool in_list = part->kind == Part::definition && part != parts.begin() && part[-1].kind == Part::definition;
    if (!in_list) column = text_column(part, parts.end());
    if (!in_list && !text.empty()) text += "\n";
    switch (part->kind) {
      case Part::heading:
        text += terminal.in(Tone::strong, part->text) + "\n";
        break;
      case Part::paragraph:
        text += wrapped(part->text, 0, terminal.columns, kEveryLine);
        break;
      case Part::definition:
        text += definition_text(*part, column, terminal);
        break;
      case Part::example:  // to be copied, so it is not broken
        for (std::string_view rest = part->text; !rest.empty();) {
          const std::string_view line = first_line(rest);
          text += fmt::format("{:{}}{}\n", "", terminal.columns < kNarrow ? 2 : kIndent, line);
          rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        }
        break;
    }
  }
  return text;
}

std::string manual_page(std::string_view markdown, const std::string& name) {
  const std::string title = name.empty() ? "assay" : "assay-" + name;
  const std::vector<HelpPart> parts = read_help(markdown);
  const auto about = std::ranges::find_if(parts, [](auto& part) { return part.kind == Part::paragraph; });
  const std::string summary = about == parts.end() ? "" : about->text.substr(0, about->text.find_first_of(".:"));
  std::string page = fmt::format(".TH {} 1 \"\" \"assay {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n.SH DESCRIPTION\n",
                                 roff(title), ASSAY_VERSION, roff(title), roff(summary), roff(parts.at(0).text));
  for (auto part = parts.begin() + 1; part < parts.end(); ++part) {
    switch (part->kind) {
      case Part::heading:
        page += fmt::format(".SH {}\n", roff(part->text));
        break;
      case Part::paragraph:
        page += fmt::format(".PP\n{}\n", roff(part->text));
        break;
      case Part::definition:
        page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(part->term), roff(part->text));
        break;
      case Part::example:
        page += fmt::format(".PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(part->text));
        break;
    }
  }
  return page;
}

}  // namespace assay
