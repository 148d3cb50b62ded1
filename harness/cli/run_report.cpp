// Tables of a page and of a file.
#include "harness/cli/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/base/embedded.h"
#include "harness/base/write_file.h"
#include "harness/report/html_frame.h"
#include "harness/report/text.h"

namespace assay {
namespace {

// A table below a heading; "" without rows. Cells are text; numbers, of all columns but the first, stand at the right.
std::string html_table(const std::string& id, const std::string& heading, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows, bool has_numbers = true) {
  if (rows.empty()) return "";
  const auto cells = [&](const std::vector<std::string>& texts, const char* tag) {
    std::string row = "<tr>";
    for (size_t i = 0; i < texts.size(); ++i)
      row +=
          fmt::format("<{0}{1}>{2}</{0}>", tag, has_numbers && i > 0 ? " class=\"number\"" : "", html_text(texts[i]));
    return row + "</tr>\n";
  };
  std::string text = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<div class=\"scroll\"><table>\n<thead>{}</thead>\n",
                                 id, html_text(heading), cells(columns, "th"));
  for (const auto& row : rows) text += cells(row, "td");
  return text + "</table></div>\n</section>\n";
}

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string figure_text(double value) { return std::isnan(value) ? "–" : fmt::format("{:.3g}", value); }

std::string findings_section(const ProgramRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (const RunFinding& each : run.findings) rows.push_back({each.kind, each.detail, each.where});
  return html_table("findings", "Findings", {"kind", "what", "where"}, rows, false);
}

std::string kernels_section(const ProgramRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (const RunKernel& each : run_kernels(run.folder))
    rows.push_back(
        {each.kernel, grouped(each.launches), grouped(each.left_out), time_text(each.seconds),
         time_text(each.seconds / static_cast<double>(std::max<int64_t>(each.launches - each.left_out, 1)))});
  return html_table("kernels", "Kernels, by the time that they took here",
                    {"kernel", "launches", "left out", "time", "each"}, rows);
}

std::string notes_section(const ProgramRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& each : run_notes(run.folder)) rows.push_back({each});
  return html_table("notes", "What was not run, or not checked", {"note"}, rows);
}

// The same columns for a kernel and a line.
std::vector<std::string> accesses_row(const std::string& name, const AccessCounts& counts, const Figures& figures,
                                      const InstructionCounts& instructions) {
  return {name,
          grouped(bytes_read(counts)),
          grouped(bytes_written(counts)),
          figure_text(figure(figures, "sectors_per_request")),
          figure_text(figure(figures, "ideal_sectors_per_request")),
          grouped(counts.shared_requests),
          figure_text(figure(figures, "bank_conflict_degree")),
          grouped(counts.atomics),
          grouped(issued(instructions))};
}

std::string accesses_sections(const ProgramRun& run) {
  const AccessStatistics statistics = run_statistics(run.folder);
  std::string text;
  for (const KernelCounts& kernel : statistics.kernels) {
    std::vector<std::vector<std::string>> rows;
    for (const LineCounts& line : kernel.lines)
      rows.push_back(accesses_row(line.line.empty() ? "(line unknown)" : line.line, line.counts,
                                  figures(statistics, kernel, line), line.instructions));
    rows.push_back(accesses_row("all", kernel.total, figures(statistics, kernel), kernel.instructions));
    text += html_table("", "Accesses of " + kernel.kernel,
                       {"line", "bytes read", "bytes written", "sectors/request", "at best", "shared requests",
                        "bank conflicts", "atomics", "instructions"},
                       rows);
  }
  return text;
}

}  // namespace

Result<void> write_run_page(const ProgramRun& run) {
  const bool failed = !run.findings.empty() || run.code != 0;
  const std::string page = filled_frame(embedded_file("run.html"), [&](const std::string& place) -> std::string {
    if (place == "outcome") return failed ? "FAILED" : "PASSED";
    if (place == "headline")
      return html_text(fmt::format("{}; the program ended with exit code {}", summary_of(run.findings), run.code));
    if (place == "command") return html_text(fmt::format("assay run {}", fmt::join(run.program, " ")));
    if (place == "findings") return findings_section(run);
    if (place == "kernels") return kernels_section(run);
    if (place == "accesses") return accesses_sections(run);
    if (place == "notes") return notes_section(run);
    return embedded_file(place);
  });
  return write_file(run.folder + "/report.html", page);
}

Result<void> write_statistics(const std::string& folder, const AccessStatistics& statistics) {
  std::string text =
      "kernel,line,launches,bytes_read,bytes_written,global_requests,sectors_per_request,ideal_sectors_per_request,"
      "shared_requests,bank_conflict_degree,atomics,barriers,instructions\n";
  const auto quoted = [](const std::string& name) {
    std::string out = "\"";
    for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
  };
  const auto number = [](double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); };
  const auto add = [&](const KernelCounts& kernel, const std::string& line, const AccessCounts& counts,
                       const Figures& figures, const InstructionCounts& instructions) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(kernel.kernel), quoted(line),
                        kernel.launches, bytes_read(counts), bytes_written(counts), global_requests(counts),
                        number(figure(figures, "sectors_per_request")),
                        number(figure(figures, "ideal_sectors_per_request")), counts.shared_requests,
                        number(figure(figures, "bank_conflict_degree")), counts.atomics, counts.barriers,
                        issued(instructions));
  };
  for (const KernelCounts& kernel : statistics.kernels) {
    add(kernel, "", kernel.total, figures(statistics, kernel), kernel.instructions);
    for (const LineCounts& line : kernel.lines)
      add(kernel, line.line.empty() ? "?" : line.line, line.counts, figures(statistics, kernel, line),
          line.instructions);
  }
  return write_file(folder + "/statistics.csv", text);
}

}  // namespace assay
