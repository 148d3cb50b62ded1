// One run of all tasks, in workers that have the sound kernel's modules.
#include "harness/mutate/sound_run.h"

#include <fmt/format.h>

#include <map>

#include "harness/base/printable.h"
#include "harness/result/replay.h"
#include "harness/search/worker_pool.h"

namespace assay {
namespace {

Error does_not_pass(const Subject& subject, const ResultRow& row) {
  return {fmt::format("{} does not pass its own suite, so that its mutants cannot be judged: {}  {}: {}", subject.id,
                      name(row.verdict), row.line(), row.detail),
          fmt::format("'{}' shows it", replay_command(row))};
}

}  // namespace

Result<SoundRun> run_sound(const Subject& subject, Plan plan, const RunLimits& limits, const std::string& stem) {
  SoundRun sound;
  std::vector<std::string> modules;
  for (const std::string& device : plan.devices())
    modules.push_back(ASSAY_TRY(compile_sound(subject, device, fmt::format("{}.{}", stem, device))));
  std::map<size_t, SoundCase> passed;
  std::map<size_t, ResultRow> failed;
  WorkerPool pool({.jobs = limits.jobs, .case_limit = limits.of_case, .replacing = modules});
  pool.run(
      [&, index = size_t{0}]() mutable -> std::optional<WorkerPool::Numbered> {
        auto task = failed.empty() ? plan.next() : std::nullopt;
        if (!task) return std::nullopt;
        task->extras.output_bits = true;
        passed[index].task = *task;
        return WorkerPool::Numbered{index++, *std::move(task)};
      },
      [&](size_t index, ResultRow row) {
        if (!row.origin.code.empty()) sound.code[row.device] = row.origin.code;
        passed[index].output_bits = row.output_bits;
        passed[index].seconds = row.figures.or_zero("seconds");
        if (row.verdict != Kind::pass) passed.erase(index);
        if (is_failure(row.verdict)) failed.emplace(index, std::move(row));
      },
      limits.stop);
  if (limits.stop && limits.stop->load()) return fail("interrupted before the sound kernel's run was done");
  if (!failed.empty()) return tl::unexpected(does_not_pass(subject, failed.begin()->second));
  for (auto& [index, each] : passed) sound.cases.push_back(std::move(each));
  if (sound.cases.empty()) return fail(subject.id + ": no case was judged", "give --cases a number above 0");
  return sound;
}

}  // namespace assay
