// Turns result rows into measurements.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/compare/measured.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay::comparison {
namespace {

// The work of a case's kernels together, and the word for it. A new total is one line here.
struct Total {
  const char* metric;
  const char* verb;
  int64_t (*of)(const AccessCounts& counts);
};
constexpr std::array kTotals{
    Total{kBytes, "moves", bytes_moved},
    Total{"requests", "makes", global_requests},
    Total{"shared requests", "makes", [](const AccessCounts& counts) { return counts.shared_requests; }},
    Total{"bank conflicts", "has",
          [](const AccessCounts& counts) { return counts.bank_passes - counts.shared_requests; }},
    Total{"atomics", "does", [](const AccessCounts& counts) { return counts.atomics; }},
    Total{"barriers", "passes", [](const AccessCounts& counts) { return counts.barriers; }},
};

// A figure that counts what a kernel does: the same in every run of the same build. A whole one is a total; the others
// are quotients of totals, and the most of them at once.
bool is_exact(const FigureSpec& spec) { return !spec.narrow.empty() && spec.better != Better::neither; }

Series& add_exact(Subject& subject, const std::string& metric, double value, std::string verb, std::string unit = "") {
  Series& series = subject.series[metric];
  series.unit = std::move(unit);
  series.exact = true;
  series.verb = std::move(verb);
  series.samples.push_back({value});
  return series;
}

void add_figures(Subject& subject, const FigureValues& figures) {
  for (size_t i = 0; i < kFigures.size(); ++i) {
    const FigureSpec& spec = kFigures[i];
    if (!is_exact(spec) || std::isnan(figures.at(i))) continue;
    Series& series = add_exact(subject, std::string(spec.name), figures.at(i), spec.whole ? "runs" : "");
    series.unit = spec.unit;
    series.better = spec.better;
    series.is_ratio = !spec.whole;
  }
}

void add_totals(Subject& subject, const std::vector<KernelCounts>& kernels) {
  if (kernels.empty()) return;
  AccessCounts all;
  for (const KernelCounts& kernel : kernels) all += kernel.total;
  for (const Total& total : kTotals) add_exact(subject, total.metric, static_cast<double>(total.of(all)), total.verb);
}

void add_samples(Subject& subject, const std::string& metric, std::string unit, std::vector<double> samples) {
  if (samples.empty()) return;
  Series& series = subject.series[metric];
  series.unit = std::move(unit);
  series.verb = "takes";
  series.samples.push_back(std::move(samples));
}

void add_times(Subject& subject, const Timing& timing) {
  std::vector<double> ns, cycles;
  for (const TimingSample& sample : timing.samples) {
    if (sample.discarded) continue;
    ns.push_back(sample.us * 1e3);
    if (sample.sm_mhz > 0) cycles.push_back(sample.us * sample.sm_mhz);
  }
  if (cycles.size() == ns.size()) add_samples(subject, kCycles, "cycles", std::move(cycles));
  add_samples(subject, kTime, "ns", std::move(ns));
}

// Adds the figures that ptxas reports; a kernel that is compiled for another GPU is another one.
void add_resources(Subject& subject, const KernelResources& kernel) {
  const std::string of = fmt::format(" of {} (sm_{})", kernel.kernel, kernel.capability);
  add_exact(subject, "registers" + of, kernel.registers, "uses");
  add_exact(subject, "stack" + of, static_cast<double>(kernel.stack_bytes), "uses", "bytes");
  add_exact(subject, "spills" + of, static_cast<double>(kernel.spill_bytes), "has", "bytes");
  add_exact(subject, "shared memory" + of, static_cast<double>(kernel.shared_bytes), "uses", "bytes");
}

// The kernels of one name count together. Moves, which a GPU mostly does at no cost, do not count. A class that a
// kernel has none of is 0, so that its first instruction counts as growth and its last one as a gain.
void add_instructions(Subject& subject, const AccessStatistics& statistics) {
  std::map<std::string, InstructionCounts> kernels;
  for (const KernelCounts& kernel : statistics.kernels) kernels[kernel.kernel] += kernel.instructions;
  for (const auto& [kernel, counts] : kernels)
    for (size_t i = 0; i < kInstructionClasses && issued(counts) != 0; ++i)
      if (const auto of = static_cast<Counted>(i); of != Counted::move)
        add_exact(subject, fmt::format("{} instructions of {}", name(of), kernel), static_cast<double>(counts[of]),
                  "runs");
}

bool has_bad_sample(const ResultRow& row) {
  if (!row.timing) return false;
  for (const TimingSample& sample : row.timing->samples)
    if (!sample.discarded && !(sample.us > 0 && std::isfinite(sample.us) && std::isfinite(sample.sm_mhz))) return true;
  return false;
}

}  // namespace

Result<void> add_row(Measured& measured, const ResultRow& row) {
  if (!is_case(row)) return {};
  if (has_bad_sample(row)) return fail("a sample of its times is not above 0", "measure it again");
  Subject& subject = measured.subjects[row.line() + " on " + row.device];
  subject.variant = row.id();
  subject.dtype = name(row.c.dtype);
  subject.name = row.line();
  subject.device = row.device;
  subject.code = row.origin.code;
  subject.source = row.origin.source;
  subject.again = replay_command(row);
  if (is_failure(row.verdict)) subject.failure = fmt::format("{}: {}", name(row.verdict), first_line(row.detail));
  subject.judged = is_failure(row.verdict) || row.verdict == Kind::pass;
  if (row.verdict != Kind::pass) return {};
  subject.error_over_budget = row.figures["error_over_budget"];
  const bool counted = !row.statistics || row.statistics->incomplete.empty();
  if (counted) add_figures(subject, row.figures);
  if (row.statistics && counted) {
    add_totals(subject, row.statistics->kernels);
    add_instructions(subject, *row.statistics);
  }
  for (const KernelResources& kernel : row.resources) add_resources(subject, kernel);
  if (!row.timing) return {};
  subject.gpu = row.timing->gpu;
  add_times(subject, *row.timing);
  return {};
}

}  // namespace assay::comparison
