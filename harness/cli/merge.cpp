// `assay merge`: shards of a run together, as if one machine had run it.
#include <cstdio>
#include <filesystem>

#include "harness/base/interrupt.h"
#include "harness/cli/campaign_console.h"
#include "harness/cli/cli.h"
#include "harness/cli/environment.h"
#include "harness/cli/finish.h"
#include "harness/cli/options.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/report/audit.h"
#include "harness/report/console.h"
#include "harness/report/merge.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Result<std::vector<ShardOfRun>> read_shards(const MergeArguments& arguments) {
  std::vector<ShardOfRun> shards;
  std::error_code none;
  const fs::path out = fs::weakly_canonical(arguments.out, none);
  for (const std::string& path : arguments.runs) {
    if (fs::weakly_canonical(path, none) == out)
      return fail(path + " is a shard, and would be overwritten", "choose another --out");
    shards.push_back({path, ASSAY_TRY(read_report(path))});
  }
  return shards;
}

// Shrinking runs cases, which this machine may be unable to do; and a variant of the same name may be another.
bool is_runnable(const ResultRow& row, const LoadedKernels& own) {
  const DeviceKind* kind = find_device(row.device);
  return row.origin.source.empty() != own.files.contains(row.id()) && kind && !kind->missing() &&
         find_variant(row.c.op, row.c.variant, row.device);
}

// Both are in the plan's order; a row without a place belongs to the one before it.
std::vector<ResultRow> in_order(std::vector<ResultRow> a, std::vector<ResultRow> b) {
  std::vector<ResultRow> all;
  size_t i = 0, j = 0;
  const auto take = [&](std::vector<ResultRow>& rows, size_t& at) {
    do all.push_back(std::move(rows[at++]));
    while (at < rows.size() && rows[at].place < 0);
  };
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].place < b[j].place)) {
      take(a, i);
    } else {
      take(b, j);
    }
  }
  return all;
}

// Does the shrinking that shards of a failing run left undone.
void shrink(Report& report, const MergeArguments& arguments, const LoadedKernels& own) {
  CampaignResult here;
  std::vector<ResultRow> elsewhere;
  int64_t failures = 0;
  for (ResultRow& row : report.rows) {
    const bool shrinks = is_runnable(row, own);
    failures += !shrinks && is_failure(row.verdict);
    (shrinks ? here.rows : elsewhere).push_back(std::move(row));
  }
  if (failures > 0)
    say_to(stderr, "assay: {} failures are not shrunk: their kernels (--source FILE) or devices are not here\n",
           failures);
  CampaignOptions options;
  options.pool.jobs = 1;  // candidates run one after the other
  options.shrink_budget = std::chrono::duration<double>(arguments.shrink_s);
  options.stop = &interrupted_flag();
  const auto rows = static_cast<int64_t>(here.rows.size());
  WorkerPool pool(options.pool);
  const FolderOf save_to = [&](const std::string&) { return arguments.save_to; };
  CampaignConsole console([=] { return rows; }, *arguments.folder, arguments.save_to.empty() ? nullptr : save_to);
  shrink_rows(here, options, pool, console);
  if (here.end == CampaignEnd::interrupted) report.info.status = status_of(here.end);
  report.rows = in_order(std::move(here.rows), std::move(elsewhere));
}

bool is_shrunk(const Report& report) {
  return std::ranges::any_of(report.rows, [](const ResultRow& row) { return !row.shrunk_from.empty(); });
}

Result<int> run_merge(const MergeArguments& given, const std::vector<std::string>& command) {
  MergeArguments arguments = given;
  ASSAY_TRY(take_folder(arguments, command));
  auto shards = ASSAY_TRY(read_shards(arguments));
  auto report = ASSAY_TRY(merge_shards(std::move(shards)));
  report.info.command = describe_command(command).command;
  take_file_of_adapter(arguments.kernels);
  const auto own = ASSAY_TRY(arguments.kernels.files.empty() ? LoadedKernels() : load_kernels(arguments.kernels));
  ASSAY_TRY(arguments.folder->begin(report.info));
  if (!is_shrunk(report)) shrink(report, arguments, own);
  for (ResultRow& row : mistrusted_rows(report.rows)) report.rows.push_back(std::move(row));
  return finish_run(std::move(report), arguments.folder->path(),
                    [](const Report& written) { return summary_text(written, terminal_of(stdout)); });
}

}  // namespace

Command merge_command() {
  return run_command_of<MergeArguments>(
      "merge",
      [](CLI::App& command, MergeArguments& arguments) {
        command.add_option("run", arguments.runs)->required();
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        command.add_option("--out", arguments.out);
        command.add_option("--save-to", arguments.save_to);
        add_time(command, "--shrink", arguments.shrink_s)->check(kNotNegative);
      },
      [](const MergeArguments& arguments, const std::vector<std::string>& words) {
        return run_merge(arguments, words);
      });
}

}  // namespace assay
