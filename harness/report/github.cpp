// From groups of failures to workflow commands.
#include "harness/report/github.h"

#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

struct Place {
  std::string file;
  std::string line;
};

// "my_kernels.cu:31", as findings and assertions name a line of the kernel.
Place place_of(const ResultRow& row, const std::string& source) {
  static const std::regex named(R"(([\w.+-]+\.(?:cu|cuh|c|cc|cpp|h|hpp)):(\d{1,9})\b)");
  const std::string own = std::filesystem::path(source).filename();
  Place place{source, ""};
  for (std::sregex_iterator match(row.detail.begin(), row.detail.end(), named), end; match != end; ++match) {
    if ((*match)[1] == own) return {source, (*match)[2]};
    if (place.line.empty()) place = {(*match)[1], (*match)[2]};
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

std::string properties(const ResultRow& row, const std::string& source) {
  const Place place = place_of(row, source);
  std::string text;
  if (!place.file.empty()) text += "file=" + escaped(place.file, true) + ",";
  if (!place.line.empty()) text += "line=" + place.line + ",";
  const std::string title = fmt::format("{} {}/{} {}", name(row.verdict), row.op, row.variant, name(row.dtype));
  return text + "title=" + escaped(title, true);
}

}  // namespace

std::string github_annotations(const Report& report, const SourceOf& source_of) {
  std::string text;
  for (const FailureGroup& group : group_failures(report.rows)) {
    const ResultRow& row = *group.rows.front();
    std::string message = row.case_line + "\n" + row.detail + "\n" + replay_command(row);
    if (group.cases > 1) message += fmt::format("\n{} cases fail so", group.cases);
    text += fmt::format("::error {}::{}\n", properties(row, source_of(row.op + "/" + row.variant)),
                        escaped(message, false));
  }
  return text;
}

}  // namespace assay
