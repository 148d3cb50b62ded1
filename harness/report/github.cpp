// From groups of failures to workflow commands.
#include "harness/report/github.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "harness/base/scanner.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

struct Place {
  std::string file;
  std::string line;
};

bool is_source(std::string_view name) {
  for (const std::string_view ending : {".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp"})
    if (name.ends_with(ending) && name.size() > ending.size()) return true;
  return false;
}

// GitHub knows files by their paths in the repository, where runs start as a rule.
std::string seen_from(const std::string& folder, const std::string& path) {
  const auto relative = std::filesystem::path(path).lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

// "my_kernels.cu:31", as findings and assertions name a line of the kernel.
Place place_of(const ResultRow& row, const std::string& folder) {
  const std::string source = seen_from(folder, row.origin.source);
  constexpr size_t kDigitsMax = 9;
  const std::string own = std::filesystem::path(source).filename();
  Place place{source, ""};
  Scanner scan(row.detail);
  while (!scan.at_end()) {
    const std::string file(scan.take([](char c) { return is_word_char(c) || c == '.' || c == '+' || c == '-'; }));
    if (!scan.skip(":")) {
      if (file.empty()) scan.go_to(scan.at() + 1);
      continue;
    }
    const size_t after_colon = scan.at();
    const std::string line(scan.word());
    if (!is_source(file) || line.empty() || line.size() > kDigitsMax ||
        !std::all_of(line.begin(), line.end(), is_digit)) {
      scan.go_to(after_colon);
      continue;
    }
    if (file == own) return {source, line};
    if (place.line.empty()) place = {file, line};
  }
  return place;
}

// A command ends with its line, and % begins an escape.
std::string escaped(const std::string& text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return printable(out);
}

std::string properties(const ResultRow& row, const std::string& folder) {
  const Place place = place_of(row, folder);
  std::string text;
  if (!place.file.empty()) text += "file=" + escaped(place.file, true) + ",";
  if (!place.line.empty()) text += "line=" + place.line + ",";
  const std::string title = fmt::format("{} {}/{} {}", name(row.verdict), row.c.op, row.c.variant, name(row.c.dtype));
  return text + "title=" + escaped(title, true);
}

}  // namespace

std::string github_annotations(const Report& report) {
  std::string text;
  for (const FailureGroup& group : group_failures(report.rows)) {
    const ResultRow& row = *group.rows.front();
    std::string message = row.line() + "\n" + row.detail + "\n" + titled_fields(row, kGithub) + replay_command(row);
    if (group.cases > 1) message += fmt::format("\n{} cases fail so", group.cases);
    text += fmt::format("::error {}::{}\n", properties(row, report.info.folder), escaped(message, false));
  }
  if (const std::string why = incomplete_text(report); !why.empty())
    text += fmt::format("::error title=INCOMPLETE::{}\n", escaped(why, false));
  return text;
}

}  // namespace assay
