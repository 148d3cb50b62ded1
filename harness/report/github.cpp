// Turns causes into workflow commands.
#include "harness/report/github.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "harness/report/causes.h"
#include "harness/report/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The path as the runner checked it out: relative to GITHUB_WORKSPACE, or to the root of the file's git repository, or
// to the folder that the run started in. A file in none is named as the row has it.
std::string in_repository(const std::string& path, const std::string& run_folder) {
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(fs::absolute(path, error), error);
  const char* const workspace = std::getenv("GITHUB_WORKSPACE");
  fs::path root = workspace ? fs::weakly_canonical(workspace, error) : fs::path();
  if (root.empty() && fs::exists(absolute, error))
    for (root = absolute.parent_path(); !fs::exists(root / ".git", error) && root != root.root_path();)
      root = root.parent_path();
  if (!workspace && (root.empty() || !fs::exists(root / ".git", error))) root = run_folder;
  if (absolute.empty() || root.empty()) return path;
  const std::string relative = absolute.lexically_relative(root).string();
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

std::string properties(const Cause& cause, const std::string& run_folder) {
  const ResultRow& row = *cause.rows.front();
  const std::string title = fmt::format("{} {}/{} {}", name(cause.kind), row.c.op, row.c.variant, name(row.c.dtype));
  return place_for_github(source_places(cause), run_folder) + "title=" + escaped_for_github(title, true);
}

}  // namespace

std::string place_for_github(const std::vector<SourcePlace>& places, const std::string& run_folder) {
  if (places.empty()) return "";
  const std::string file = "file=" + escaped_for_github(in_repository(places[0].path, run_folder), true) + ",";
  return places[0].line > 0 ? file + fmt::format("line={},", places[0].line) : file;
}

std::string escaped_for_github(const std::string& text, bool property) {
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

std::string github_annotations(const Report& report) {
  std::string text;
  for (const Cause& cause : causes(report.rows)) {
    const ResultRow& row = *cause.rows.front();
    std::string message = row.line() + "\n" + cause.detail + "\n";
    for (const AlsoSeen& also : cause.also)
      message += fmt::format("seen on {} as {}: {}\n", also.device, name(also.kind), first_line(also.detail));
    message += titled_fields(row, kGithub) + replay_command(row);
    if (!cause.shared.empty())
      message += "\n" + cause.shared;
    else if (cause.cases > 1)
      message += fmt::format("\n{} cases fail so", cause.cases);
    text += fmt::format("::error {}::{}\n", properties(cause, report.info.folder), escaped_for_github(message, false));
  }
  if (const auto gap = gap_of(report))
    text += fmt::format("::error title={}::{}\n", gap->type, escaped_for_github(gap->why, false));
  return text;
}

}  // namespace assay
