// Both tables have the same columns, so that a reader learns them once.
#include "harness/report/statistics_text.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/report/instructions_text.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

constexpr size_t kNameColumns = 22;

std::string text_of(double value) {
  if (std::isnan(value)) return "-";
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string with_plural(int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

std::string columns(const std::string& name, const std::string& read, const std::string& written,
                    const std::vector<std::string>& figures) {
  // A name that does not fit has a line of its own.
  std::string line = name.size() <= kNameColumns ? name : name + "\n";
  line += fmt::format("{:<{}} {:>10} {:>10}", "",
                      name.size() <= kNameColumns ? kNameColumns - name.size() : kNameColumns, read, written);
  for (const std::string& figure : figures) line += fmt::format(" {:>6}", figure);
  return line + "\n";
}

std::string heading(const std::string& name) {
  std::vector<std::string> upper, lower;
  for (const Figure& figure : figures(AccessStatistics{})) {
    const std::string narrow(kFigures[figure_index(figure.name)].narrow);
    upper.push_back(narrow.substr(0, narrow.find('\n')));
    lower.push_back(narrow.substr(narrow.find('\n') + 1));
  }
  return columns("", "bytes", "bytes", upper) + columns(name, "read", "written", lower);
}

std::string row(const std::string& name, const AccessCounts& counts, const Figures& figures) {
  std::vector<std::string> texts;
  for (const Figure& figure : figures) texts.push_back(text_of(figure.value));
  return columns(name, grouped(bytes_read(counts)), grouped(bytes_written(counts)), texts);
}

std::string missing(const AccessStatistics& statistics) {
  return statistics.incomplete.empty() ? ""
                                       : "  not everything was counted: " + printable(statistics.incomplete) + "\n";
}

// Registers, spills and shared memory of a block, and the share of a multiprocessor's threads that fits.
std::string resources_text(const ResultRow& row, const KernelCounts& kernel) {
  const KernelResources* found = resources_of(row, kernel.kernel);
  if (!found) return "";
  const KernelResources& compiled = *found;
  const auto block = static_cast<int>(kernel.threads_per_block);
  const auto share = occupancy(compiled, block, kernel.dynamic_shared_bytes);
  return fmt::format("    sm_{}: {} registers, {} bytes spilled, {} + {} bytes of shared memory{}\n",
                     compiled.capability, compiled.registers, grouped(compiled.spill_bytes),
                     grouped(compiled.shared_bytes), grouped(kernel.dynamic_shared_bytes),
                     share ? fmt::format(", occupancy {:.3g}% with blocks of {}", 100 * *share, block) : "");
}

}  // namespace

std::string kernel_heading() { return heading("  kernel"); }

std::string kernel_rows(const ResultRow& shown, const GpuModel& gpu) {
  const AccessStatistics& statistics = *shown.statistics;
  std::string text = missing(statistics);
  for (const KernelCounts& kernel : statistics.kernels)
    text += row("  " + printable(kernel.kernel), kernel.total, figures(statistics, kernel)) +
            resources_text(shown, kernel) + instructions_text(kernel);
  return text + bound_text(statistics, gpu);
}

std::string line_tables(const AccessStatistics& statistics, const GpuModel& gpu) {
  std::string text = missing(statistics);
  for (const KernelCounts& kernel : statistics.kernels) {
    const std::string compulsory = statistics.compulsory_bytes == 0
                                       ? ""
                                       : fmt::format(", {} are compulsory", grouped(statistics.compulsory_bytes));
    text += fmt::format("\nkernel {}: {}, {}; {} bytes moved{}\n", printable(kernel.kernel),
                        with_plural(kernel.launches, "launch", "launches"),
                        with_plural(kernel.blocks, "block", "blocks"), grouped(bytes_moved(kernel.total)), compulsory);
    text += heading("line");
    for (const LineCounts& line : kernel.lines)
      text += row(line.line.empty() ? "(line unknown)" : line.line, line.counts, figures(statistics, kernel, line));
    text += row("all", kernel.total, figures(statistics, kernel));
    text += instruction_table(kernel);
  }
  return text + bound_text(statistics, gpu) + uncounted_text(statistics);
}

std::string kernel_table(const std::vector<ResultRow>& rows, const GpuModel& gpu) {
  std::string text, uncounted;
  for (const ResultRow* shown : largest_counted(rows)) {
    text += fmt::format("{}\n", printable(shown->line())) + kernel_rows(*shown, gpu);
    if (uncounted.empty()) uncounted = uncounted_text(*shown->statistics);
  }
  if (text.empty()) return "";
  return "Memory accesses, in the largest case of each variant and dtype:\n" + kernel_heading() + text + uncounted;
}

}  // namespace assay
