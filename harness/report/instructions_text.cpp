// Each number is of one warp, so that cases of different sizes compare; the totals are in results.jsonl.
#include "harness/report/instructions_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "harness/base/printable.h"
#include "harness/bench/counted_bound.h"
#include "harness/report/text.h"

namespace assay {
namespace {

constexpr size_t kLineColumns = 22;

using Classes = std::vector<Counted>;

// Those of which there are some, most instructions first.
Classes classes_of(const InstructionCounts& counts) {
  Classes classes;
  for (size_t i = 0; i < kInstructionClasses; ++i)
    if (counts.of[i] != 0) classes.push_back(static_cast<Counted>(i));
  std::stable_sort(classes.begin(), classes.end(), [&](Counted a, Counted b) { return counts[a] > counts[b]; });
  return classes;
}

std::string each(int64_t count, int64_t warps) {
  const double number = static_cast<double>(count) / static_cast<double>(std::max<int64_t>(warps, 1));
  return number >= 1000 ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
}

double lanes(const InstructionCounts& counts) {
  return static_cast<double>(counts.by_threads) / static_cast<double>(issued(counts));
}

std::string table_line(const std::string& name, const InstructionCounts& counts, const Classes& classes,
                       int64_t warps) {
  // A name that does not fit has a line of its own.
  std::string line = name.size() <= kLineColumns ? fmt::format("{:<{}}", name, kLineColumns)
                                                 : fmt::format("{}\n{:<{}}", name, "", kLineColumns);
  line += fmt::format(" {:>10} {:>6.3g}", each(issued(counts), warps), lanes(counts));
  for (const Counted of : classes) line += fmt::format(" {:>10}", counts[of] == 0 ? "-" : each(counts[of], warps));
  return line + "\n";
}

}  // namespace

std::string instructions_text(const KernelCounts& kernel) {
  if (issued(kernel.instructions) == 0) return "";
  std::vector<std::string> classes;
  for (const Counted of : classes_of(kernel.instructions))
    classes.push_back(fmt::format("{} {}", name(of), each(kernel.instructions[of], kernel.warps)));
  return fmt::format("    instructions: {} by {} warp{}, {} each: {}; {:.3g} lanes of 32\n",
                     grouped(issued(kernel.instructions)), grouped(kernel.warps), kernel.warps == 1 ? "" : "s",
                     each(issued(kernel.instructions), kernel.warps), fmt::join(classes, ", "),
                     lanes(kernel.instructions));
}

std::string instruction_table(const KernelCounts& kernel) {
  if (issued(kernel.instructions) == 0) return "";
  const Classes classes = classes_of(kernel.instructions);
  std::string text = fmt::format("instructions of a warp of {}\n{:<{}} {:>10} {:>6}", printable(kernel.kernel), "line",
                                 kLineColumns, "all", "lanes");
  for (const Counted of : classes) text += fmt::format(" {:>10}", name(of));
  text += "\n";
  std::vector<const LineCounts*> lines;
  for (const LineCounts& line : kernel.lines)
    if (issued(line.instructions) != 0) lines.push_back(&line);
  std::stable_sort(lines.begin(), lines.end(), [](const LineCounts* a, const LineCounts* b) {
    return issued(a->instructions) > issued(b->instructions);
  });
  for (const LineCounts* line : lines)
    text += table_line(line->line.empty() ? "(line unknown)" : printable(line->line), line->instructions, classes,
                       kernel.warps);
  return text + table_line("all", kernel.instructions, classes, kernel.warps);
}

std::string bound_text(const AccessStatistics& run, const GpuModel& gpu) {
  const CountedBound bound = counted_bound(run, gpu);
  if (bound.ceilings.empty()) return "";
  std::vector<std::string> ceilings;
  for (const Ceiling& ceiling : bound.ceilings)
    ceilings.push_back(
        fmt::format("{} {:.3g}{}", ceiling.of, ceiling.us, ceiling.of == "dram" ? " (compulsory bytes)" : ""));
  return fmt::format("    bound: {:.3g} us on {}: {}; it is a bound, no estimate\n", bound.us, gpu.name,
                     fmt::join(ceilings, ", "));
}

std::string uncounted_text(const AccessStatistics& run) {
  const auto is_uncounted = [](const KernelCounts& kernel) { return issued(kernel.instructions) == 0; };
  return std::any_of(run.kernels.begin(), run.kernels.end(), is_uncounted) ? kHowToCount : "";
}

}  // namespace assay
