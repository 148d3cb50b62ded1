// Reading what NVIDIA's tools print.
#include "harness/cli/gpu_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/base/scanner.h"

namespace assay {
namespace {

constexpr const char* kReport = "assay-replay";  // of the profilers, in the current folder

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The first line that has one of the words by which the tools report that they could not work.
std::optional<std::string> complaint(const std::vector<std::string>& lines, const std::vector<std::string>& words) {
  for (const std::string& line : lines)
    for (const std::string& word : words)
      if (line.find(word) != std::string::npos) return line;
  return std::nullopt;
}

using Counts = std::vector<std::string>;  // digits

// Reads "3 errors" or "1 error", for the unit " error".
bool read_count(Scanner& scan, std::string_view unit, Counts& counts) {
  counts.emplace_back(scan.digits());
  if (counts.back().empty() || !scan.skip(unit)) return false;
  scan.skip("s");
  return true;
}

bool skip_rule(Scanner& scan) {
  return !scan.take([](char c) { return c == '='; }).empty();
}
bool nothing_in(std::string_view text) { return trimmed(text).empty(); }

// "========= ERROR SUMMARY: 3 errors"; empty for other lines.
Counts error_summary(const std::string& line) {
  Counts counts;
  Scanner scan(line);
  const bool whole = skip_rule(scan) && scan.skip(" ERROR SUMMARY: ") && read_count(scan, " error", counts);
  return whole && nothing_in(scan.rest()) ? counts : Counts{};
}

// "========= RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 warning)"; empty for other lines.
Counts racecheck_summary(const std::string& line) {
  Counts counts;
  Scanner scan(line);
  const bool whole = skip_rule(scan) && scan.skip(" RACECHECK SUMMARY: ") && read_count(scan, " hazard", counts) &&
                     scan.skip(" displayed (") && read_count(scan, " error", counts) && scan.skip(", ") &&
                     read_count(scan, " warning", counts) && scan.skip(")");
  return whole && nothing_in(scan.rest()) ? counts : Counts{};
}

// The counts of the one line that `read` reads.
Result<Counts> only_summary(const std::vector<std::string>& lines, Counts (*read)(const std::string&),
                            const std::string& summary) {
  const auto words = {"Target application terminated", "No attachable process", "Internal Sanitizer Error",
                      "Device not supported", "Unable to find"};
  if (const auto line = complaint(lines, {words.begin(), words.end()}))
    return fail("compute-sanitizer could not watch the kernel: " + *line, "check its version against the driver's");
  std::vector<Counts> found;
  for (const std::string& line : lines)
    if (Counts counts = read(line); !counts.empty()) found.push_back(std::move(counts));
  if (found.size() != 1)
    return fail("compute-sanitizer ended " +
                    (found.empty() ? "without its summary" : "with " + std::to_string(found.size()) + " summaries") +
                    " (" + summary + ")",
                "nothing is known of the kernel; see its output above");
  return found[0];
}

// ncu's line for a launch that it measured: ==PROF== Profiling "softmax" - 0: 0%....100% - 43 passes
bool says_profiled(const std::string& line) {
  Scanner scan(line);
  if (!scan.skip("==PROF== Profiling \"")) return false;
  do {
    if (!scan.skip_past("\" - ")) return false;
  } while (scan.digits().empty());  // a kernel's name may have quotes
  std::string_view passes = trimmed(scan.rest());
  for (const std::string_view unit : {" pass", " passes"})
    if (passes.ends_with(unit)) {
      passes.remove_suffix(unit.size());
      return !passes.empty() && is_digit(passes.back());
    }
  return false;
}

Result<long> number(const std::string& digits) {
  if (digits.size() > 12) return fail("compute-sanitizer counts '" + digits + "' errors", "see its output above");
  return std::stol(digits);
}

}  // namespace

Result<ToolSummary> read_sanitizer(const std::string& output) {
  // "ERROR SUMMARY: 3 errors", and a second such line where not all were printed: "… were not printed. Use …".
  const auto lines = lines_of(output);
  const auto match = ASSAY_TRY(only_summary(lines, error_summary, "ERROR SUMMARY: N errors"));
  const auto errors = ASSAY_TRY(number(match.at(0)));
  return ToolSummary{errors, std::to_string(errors) + (errors == 1 ? " error" : " errors")};
}

Result<ToolSummary> read_racecheck(const std::string& output) {
  const auto lines = lines_of(output);
  const auto match = ASSAY_TRY(only_summary(lines, racecheck_summary, "RACECHECK SUMMARY: N hazards displayed"));
  const auto hazards = ASSAY_TRY(number(match.at(0))), errors = ASSAY_TRY(number(match.at(1))),
             warnings = ASSAY_TRY(number(match.at(2)));
  // A warning is a race too: one that the tool thinks harmless.
  return ToolSummary{std::max(hazards, errors + warnings),
                     fmt::format("{} hazards ({} errors, {} warnings)", hazards, errors, warnings)};
}

Result<ToolSummary> read_ncu(const std::string& output) {
  const auto lines = lines_of(output);
  if (const auto line = complaint(lines, {"==ERROR=="}))
    return fail("ncu could not profile the kernel: " + *line, line->find("ERR_NVGPUCTRPERM") == std::string::npos
                                                                  ? "see its output above"
                                                                  : "it needs the right to read GPU counters");
  constexpr std::string_view kReportLine = "==PROF== Report: ";
  const auto launches = std::ranges::count_if(lines, says_profiled);
  std::vector<std::string> reports;
  for (const std::string& line : lines)
    if (line.starts_with(kReportLine)) reports.push_back(line.substr(kReportLine.size()));
  if (launches == 0) return fail("ncu profiled no kernel", "does the case launch one?");
  if (reports.size() != 1) return fail("ncu ended without its report", "see its output above");
  return ToolSummary{0, std::to_string(launches) + " launches profiled; open with: ncu-ui " + reports[0]};
}

Result<ToolSummary> read_nsys(const std::string& output) {
  const auto lines = lines_of(output);
  if (const auto line = complaint(lines, {"does not contain CUDA kernel data", "FATAL ERROR"}))
    return fail("nsys saw no kernel: " + *line, "does the case launch one?");
  std::string report;  // the last line that is one path
  for (const std::string& line : lines) {
    const std::string_view path = trimmed(line);
    if (path.ends_with(".nsys-rep") && path.find_first_of(" \t") == std::string_view::npos) report = path;
  }
  if (report.empty()) return fail("nsys ended without its report", "see its output above");
  return ToolSummary{0, "open with: nsys-ui " + report};
}

const std::vector<GpuTool>& gpu_tools() {
  static const auto sanitizer = [](const std::string& tool) {
    return std::vector<std::string>{"--tool", tool, "--target-processes", "application-only"};
  };
  static const std::vector<GpuTool> tools = {
      {"memcheck", "compute-sanitizer", sanitizer("memcheck"), true, read_sanitizer},
      {"racecheck", "compute-sanitizer", sanitizer("racecheck"), true, read_racecheck},
      {"initcheck", "compute-sanitizer", sanitizer("initcheck"), true, read_sanitizer},
      {"synccheck", "compute-sanitizer", sanitizer("synccheck"), true, read_sanitizer},
      // Not every user may set the card's clocks, and setting them would disturb others.
      {"ncu",
       "ncu",
       {"--set", "full", "--clock-control", "none", "--force-overwrite", "--export", kReport},
       false,
       read_ncu},
      {"nsys",
       "nsys",
       {"profile", "--trace=cuda,nvtx", "--stats=true", "--force-overwrite=true", "--output", kReport},
       false,
       read_nsys},
  };
  return tools;
}

const GpuTool* find_gpu_tool(const std::string& name) {
  for (const GpuTool& tool : gpu_tools())
    if (tool.name == name) return &tool;
  return nullptr;
}

}  // namespace assay
