// `assay replay`: one case line, or a file of them, run again in a worker and reported in full.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/cli/cli.h"
#include "harness/cli/gpu_tools.h"
#include "harness/cli/guessed.h"
#include "harness/cli/options.h"
#include "harness/cli/under.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/device.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/report/statistics_text.h"
#include "harness/report/text.h"
#include "harness/search/regressions.h"
#include "harness/search/worker_pool.h"
#include "harness/simt/runtime/debugger.h"

namespace assay {
namespace {

Result<std::vector<Case>> cases_of(const std::vector<std::string>& words, const std::string& device) {
  std::vector<SavedCase> lines;
  std::error_code no_file;  // a case line may be longer than any file name
  if (words.size() == 1 && std::filesystem::is_regular_file(words[0], no_file)) {
    auto read = read_case_file(words[0]);
    if (!read) return tl::unexpected(read.error());
    if (read->empty()) return fail(words[0] + " holds no case line", "write one case line in it");
    lines = std::move(*read);
  } else {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    lines.push_back({"", line});
  }
  std::vector<Case> cases;
  for (const SavedCase& saved : lines) {
    auto c = read_case(saved.line);
    if (!c) return fail((saved.path.empty() ? "" : saved.path + ": ") + c.error().what, c.error().hint);
    if (!find_variant(c->op, c->variant, device)) {
      std::vector<std::string> known;
      for (const Variant* variant : variants())
        if (variant->op == c->op && variant->device == device) known.push_back(variant->name);
      const size_t at = saved.line.find('/') + 1;
      return tl::unexpected(error_at(saved.line, std::string_view(saved.line).substr(at, c->variant.size()),
                                     fmt::format("{} has no such variant for {}", c->op, device),
                                     suggestion(c->variant, known)));
    }
    cases.push_back(std::move(*c));
  }
  return cases;
}

void tell(const ResultRow& row) {
  std::fputs(fmt::format("{}  {}\n", terminal_of(stdout).verdict(row.verdict), printable(row.line())).c_str(), stdout);
  if (!row.detail.empty()) say("  {}\n", row.detail);
  if (row.figures.has("error_over_budget")) say("  error/budget {}\n", number_text(row.figures["error_over_budget"]));
  for (const WorstElement& element : row.worst)
    say("  {}{}: got {:.9g}, want {:.9g}, error/budget {}\n", element.tensor, element.index, element.got, element.want,
        number_text(element.error_over_budget));
  for (const SensitivityProbe& probe : row.sensitivity)
    if (!probe.noticed) say("  this case would not notice: {}\n", probe.mutant);
  for (const std::string& hint : row.hints) say("  hint: {}\n", hint);
  if (row.statistics) std::fputs(line_tables(*row.statistics).c_str(), stdout);
}

// Where index text such as "[3,17]" points in a tensor of this shape.
int64_t flat_index(const std::string& text, const std::vector<int64_t>& shape) {
  int64_t flat = 0;
  const char* at = text.c_str();
  for (const int64_t extent : shape) flat = flat * extent + std::strtoll(at + 1, const_cast<char**>(&at), 10);
  return flat;
}

// Runs the case once more so that a debugger can see the worst element being written.
void write_worst_again(const Case& c, const ResultRow& row) {
  const auto device = make_device("cpu").value();
  const Variant* variant = find_variant(c.op, c.variant, "cpu");
  if (variant == nullptr || !variant->steps.empty() || row.worst.empty()) return;
  Tensors again = make_tensors(*find_op(c.op), c, variant->constants);
  Tensor& tensor = again.get(row.worst[0].tensor);
  const auto size = static_cast<int64_t>(tensor.bytes()) / tensor.count();
  assay_watch(tensor.data() + flat_index(row.worst[0].index, tensor.shape()) * size, static_cast<size_t>(size));
  device->run(*variant, c, again, c.schedule);
}

ResultRow run_here(const Task& task) {
  const auto device = make_device(task.device);
  if (!device) return row_for(task.c, task.device, Kind::skipped, device.error().line());
  ResultRow row = run_case(task.c, *find_variant(task.c.op, task.c.variant, task.device), **device, task.extras);
  if (debugger_attached()) write_worst_again(task.c, row);
  return row;
}

}  // namespace

int run_replay(const ReplayArguments& given) {
  ReplayArguments arguments = given;
  if (find_gpu_tool(arguments.under)) arguments.device = kGpuDevice;
  Guesses guesses;
  if (!arguments.kernels.files.empty()) {
    auto loaded = load_kernels(arguments.kernels);
    if (!loaded) return usage_error(loaded.error());
    guesses = std::move(loaded->guesses);
  }
  if (const auto code = refuse_device(arguments.device)) return *code;
  const auto cases = cases_of(arguments.what, arguments.device);
  if (!cases) return usage_error(cases.error());
  if (arguments.under == "gdb") return usage_error(replace_by_gdb(arguments));
  if (!arguments.under.empty()) return run_under_gpu_tool(arguments);
  WorkerPool pool({});
  const RunTask run = [&](const Task& task) {
    return arguments.in_process
               ? std::optional(run_here(task))
               : pool.run_one(task, std::chrono::duration<double>(arguments.case_limit_s), &interrupted_flag());
  };
  bool failed = false, judged = false;
  for (const Case& c : *cases) {
    const Task task{c, arguments.device, {.statistics = arguments.stats, .watching = arguments.watching}};
    std::map<Kind, int> verdicts;
    for (int i = 0; i < arguments.times; ++i) {
      auto row = run(task);
      if (!row) return kExitInconclusive;
      if (!guesses.empty()) {
        std::vector<ResultRow> rows = {std::move(*row)};
        withhold_guessed(rows, guesses, run);
        row = std::move(rows[0]);
      }
      if (verdicts[row->verdict]++ == 0) tell(*row);
      failed |= is_failure(row->verdict);
      judged |= is_failure(row->verdict) || row->verdict == Kind::pass;
    }
    if (arguments.times > 1)
      for (const auto& [kind, count] : verdicts) say("  {} of {} runs: {}\n", count, arguments.times, name(kind));
  }
  return failed ? kExitFail : judged ? kExitPass : kExitInconclusive;
}

Command replay_case_command() {
  return command_of<ReplayArguments>(
      "replay",
      [](CLI::App& command, ReplayArguments& arguments) {
        command.add_option("case", arguments.what)->required();
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        add_device(command, arguments.device, arguments.gpu);
        std::vector<std::string> tools = {"gdb"};
        for (const GpuTool& tool : gpu_tools()) tools.push_back(tool.name);
        command.add_option("--under", arguments.under)->check(CLI::IsMember(tools));
        add_checked_flags(command, arguments);
        command.add_flag("--in-process", arguments.in_process);
        command.add_option("--times", arguments.times)->check(CLI::Range(1, 100000));
        add_time(command, "--case-limit", arguments.case_limit_s)->check(kAboveZero);
      },
      [](const ReplayArguments& arguments, const std::vector<std::string>&) { return run_replay(arguments); });
}

}  // namespace assay
