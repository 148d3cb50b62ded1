// Reading what NVIDIA's tools print.
#include "harness/cli/gpu_tools.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

namespace assay {
namespace {

constexpr const char* kReport = "assay-replay";  // of the profilers, in the current folder

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// All matches of `pattern`, each against a whole line.
std::vector<std::smatch> matches(const std::vector<std::string>& lines, const std::regex& pattern) {
  std::vector<std::smatch> found;
  for (const std::string& line : lines)
    if (std::smatch match; std::regex_match(line, match, pattern)) found.push_back(match);
  return found;
}

// The first line with one of the words by which the tools report that they could not work.
std::optional<std::string> complaint(const std::vector<std::string>& lines, const std::vector<std::string>& words) {
  for (const std::string& line : lines)
    for (const std::string& word : words)
      if (line.find(word) != std::string::npos) return line;
  return std::nullopt;
}

// The one line of `lines` that `pattern` matches.
Result<std::smatch> only_match(const std::vector<std::string>& lines, const std::regex& pattern,
                               const std::string& summary) {
  const auto words = {"Target application terminated", "No attachable process", "Internal Sanitizer Error",
                      "Device not supported", "Unable to find"};
  if (const auto line = complaint(lines, {words.begin(), words.end()}))
    return fail("compute-sanitizer could not watch the kernel: " + *line, "check its version against the driver's");
  const auto found = matches(lines, pattern);
  if (found.size() != 1)
    return fail("compute-sanitizer ended " +
                    (found.empty() ? "without its summary" : "with " + std::to_string(found.size()) + " summaries") +
                    " (" + summary + ")",
                "nothing is known of the kernel; see its output above");
  return found[0];
}

Result<long> number(const std::string& digits) {
  if (digits.size() > 12) return fail("compute-sanitizer counts '" + digits + "' errors", "see its output above");
  return std::stol(digits);
}

}  // namespace

Result<ToolSummary> read_sanitizer(const std::string& output) {
  // "ERROR SUMMARY: 3 errors", and a second such line where not all were printed: "… were not printed. Use …".
  static const std::regex summary(R"(=+ ERROR SUMMARY: (\d+) errors?\s*)");
  const auto lines = lines_of(output);
  const auto match = only_match(lines, summary, "ERROR SUMMARY: N errors");
  if (!match) return tl::unexpected(match.error());
  const auto errors = number((*match)[1]);
  if (!errors) return tl::unexpected(errors.error());
  return ToolSummary{*errors, std::to_string(*errors) + (*errors == 1 ? " error" : " errors")};
}

Result<ToolSummary> read_racecheck(const std::string& output) {
  static const std::regex summary(
      R"(=+ RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)\s*)");
  const auto lines = lines_of(output);
  const auto match = only_match(lines, summary, "RACECHECK SUMMARY: N hazards displayed");
  if (!match) return tl::unexpected(match.error());
  const auto hazards = number((*match)[1]), errors = number((*match)[2]), warnings = number((*match)[3]);
  for (const auto& count : {hazards, errors, warnings})
    if (!count) return tl::unexpected(count.error());
  // A warning is a race too: one that the tool thinks harmless.
  return ToolSummary{std::max(*hazards, *errors + *warnings), std::to_string(*hazards) + " hazards (" +
                                                                  std::to_string(*errors) + " errors, " +
                                                                  std::to_string(*warnings) + " warnings)"};
}

Result<ToolSummary> read_ncu(const std::string& output) {
  static const std::regex profiled(R"(==PROF== Profiling ".*" - \d+.*\b\d+ pass(es)?\s*)");
  static const std::regex report(R"(==PROF== Report: (.*))");
  const auto lines = lines_of(output);
  if (const auto line = complaint(lines, {"==ERROR=="}))
    return fail("ncu could not profile the kernel: " + *line, line->find("ERR_NVGPUCTRPERM") == std::string::npos
                                                                  ? "see its output above"
                                                                  : "it needs the right to read GPU counters");
  const auto kernels = matches(lines, profiled), reports = matches(lines, report);
  if (kernels.empty()) return fail("ncu profiled no kernel", "does the case launch one?");
  if (reports.size() != 1) return fail("ncu ended without its report", "see its output above");
  return ToolSummary{
      0, std::to_string(kernels.size()) + " launches profiled; open with: ncu-ui " + std::string(reports[0][1])};
}

Result<ToolSummary> read_nsys(const std::string& output) {
  static const std::regex report(R"(\s*(\S+\.nsys-rep)\s*)");
  const auto lines = lines_of(output);
  if (const auto line = complaint(lines, {"does not contain CUDA kernel data", "FATAL ERROR"}))
    return fail("nsys saw no kernel: " + *line, "does the case launch one?");
  const auto reports = matches(lines, report);
  if (reports.empty()) return fail("nsys ended without its report", "see its output above");
  return ToolSummary{0, "open with: nsys-ui " + std::string(reports.back()[1])};
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
      {"ncu", "ncu", {"--set", "full", "--force-overwrite", "--export", kReport}, false, read_ncu},
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
