// From result rows to what was measured.
#include <fmt/format.h>

#include <cmath>

#include "harness/compare/measured.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay::comparison {
namespace {

// A figure that counts what a kernel does: the same in every run of the same build.
bool is_exact(const FigureSpec& spec) { return !spec.narrow.empty() && spec.better != Better::neither; }

void add_value(Subject& subject, const std::string& metric, double value, Better better, std::string unit = "") {
  Series& series = subject.series[metric];
  series.unit = std::move(unit);
  series.better = better;
  series.exact = true;
  series.samples.push_back({value});
}

void add_samples(Subject& subject, const std::string& metric, std::string unit, std::vector<double> samples) {
  if (samples.empty()) return;
  Series& series = subject.series[metric];
  series.unit = std::move(unit);
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

// What ptxas reports; a kernel that is compiled for another GPU is another one.
void add_resources(Subject& subject, const KernelResources& kernel) {
  const std::string of = fmt::format(" of {} (sm_{})", kernel.kernel, kernel.capability);
  add_value(subject, "registers" + of, kernel.registers, Better::lower);
  add_value(subject, "stack" + of, static_cast<double>(kernel.stack_bytes), Better::lower, "bytes");
  add_value(subject, "spills" + of, static_cast<double>(kernel.spill_bytes), Better::lower, "bytes");
  add_value(subject, "shared memory" + of, static_cast<double>(kernel.shared_bytes), Better::lower, "bytes");
}

// Of the kernels of one name together. What a GPU mostly does for nothing is nobody's gain or loss.
void add_instructions(Subject& subject, const AccessStatistics& statistics) {
  std::map<std::string, InstructionCounts> kernels;
  for (const KernelCounts& kernel : statistics.kernels) kernels[kernel.kernel] += kernel.instructions;
  for (const auto& [kernel, counts] : kernels)
    for (size_t i = 0; i < kInstructionClasses; ++i)
      if (const auto of = static_cast<Counted>(i); counts[of] != 0 && of != Counted::move)
        add_value(subject, fmt::format("{} instructions of {}", name(of), kernel), static_cast<double>(counts[of]),
                  Better::lower);
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
  subject.again = replay_command(row);
  if (is_failure(row.verdict)) subject.failure = fmt::format("{}: {}", name(row.verdict), first_line(row.detail));
  subject.judged = is_failure(row.verdict) || row.verdict == Kind::pass;
  if (row.verdict != Kind::pass) return {};
  subject.error_over_budget = row.figures["error_over_budget"];
  const bool counted = !row.statistics || row.statistics->incomplete.empty();
  for (size_t i = 0; i < kFigures.size() && counted; ++i)
    if (const double value = row.figures.at(i); is_exact(kFigures[i]) && !std::isnan(value))
      add_value(subject, std::string(kFigures[i].name), value, kFigures[i].better, std::string(kFigures[i].unit));
  if (row.statistics && counted) add_instructions(subject, *row.statistics);
  for (const KernelResources& kernel : row.resources) add_resources(subject, kernel);
  if (!row.timing) return {};
  subject.gpu = row.timing->gpu;
  add_times(subject, *row.timing);
  return {};
}

}  // namespace assay::comparison
