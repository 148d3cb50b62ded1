// `assay replay`: one case line, or a file of them, run again in a worker and reported in full.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/cli/cli.h"
#include "harness/cli/gpu_tools.h"
#include "harness/cli/guessed.h"
#include "harness/cli/options.h"
#include "harness/cli/replay_launch.h"
#include "harness/cli/under.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/device.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/report/console.h"
#include "harness/report/statistics_text.h"
#include "harness/report/text.h"
#include "harness/search/regressions.h"
#include "harness/search/worker_pool.h"
#include "harness/simt/runtime/debugger.h"

namespace assay {
namespace {

constexpr double kCaseLimit_s = 60;

struct Wanted {
  Case c;
  std::string path;  // the file that it is from; "": typed
};

struct Words {
  std::vector<SavedCase> lines;
  bool of_folders = false;  // they are saved failures, some of which this program may not have
};

// One case line in one or several words, or files and folders of such lines.
Result<Words> lines_of(const std::vector<std::string>& words) {
  namespace fs = std::filesystem;
  Words read;
  std::error_code none;  // a case line may be longer than any file name
  if (!fs::exists(words[0], none)) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    read.lines.push_back({"", line});
    return read;
  }
  for (const std::string& word : words) {
    const bool is_folder = fs::is_directory(word, none);
    auto cases = ASSAY_TRY(is_folder ? read_regressions(word) : read_case_file(word));
    if (cases.empty() && !is_folder) return fail(word + " holds no case line", "write one case line in it");
    if (cases.empty()) say("{} holds no saved failure: nothing is replayed\n", word);
    read.of_folders |= is_folder;
    read.lines.insert(read.lines.end(), cases.begin(), cases.end());
  }
  return read;
}

// Kernels of the user's files that failures were saved beside, where no option names them.
void add_files_of(const Words& words, KernelArguments& kernels) {
  std::set<std::string> given;
  for (const std::string& file : kernels.files) given.insert(std::filesystem::absolute(file).string());
  std::set<std::pair<std::string, std::string>> found;
  for (const SavedCase& saved : words.lines)
    if (const std::string file = file_of_saved(saved.path); !file.empty() && !given.contains(file))
      found.emplace(file, kernels.op.empty() ? saved.line.substr(0, saved.line.find('/')) : kernels.op);
  kernels.more.assign(found.begin(), found.end());
}

Result<std::vector<Wanted>> cases_of(const Words& words, const std::string& device) {
  std::vector<Wanted> cases;
  for (const SavedCase& saved : words.lines) {
    auto c = read_case(saved.line);
    if (!c) return fail((saved.path.empty() ? "" : saved.path + ": ") + c.error().what, c.error().hint);
    if (!find_variant(c->op, c->variant, device)) {
      if (words.of_folders) {
        say("SKIPPED  {}: this build has no variant {} for {}\n", saved.path, c->id(), device);
        continue;
      }
      std::vector<std::string> known;
      for (const Variant* variant : variants())
        if (variant->op == c->op && variant->device == device) known.push_back(variant->name);
      const size_t at = saved.line.find('/') + 1;
      return tl::unexpected(error_at(
          saved.line, std::string_view(saved.line).substr(at, c->variant.size()),
          fmt::format("{} has no such variant for {}", c->op, device),
          known.empty() ? "--source FILE names the file of a kernel of your own" : suggestion(c->variant, known)));
    }
    cases.push_back({std::move(*c), saved.path});
  }
  return cases;
}

// Reports each file of a replay of saved failures, when all of its cases were run: those that pass now are repaired,
// and those that were and fail again came back.
Result<void> tell_fixed(const std::map<std::string, bool>& passed, bool move) {
  for (const auto& [path, passes] : passed) {
    const bool is_fixed = std::filesystem::path(path).parent_path().filename() == "fixed";
    if (is_fixed && !passes) say("CAME BACK  {}: it was repaired, and fails again\n", path);
    if (is_fixed || !passes) continue;
    if (!move) {
      const std::string folder = std::filesystem::path(path).parent_path().string();
      say("FIXED  {}: --move-fixed moves it to {}, where it stays a test\n", path, fixed_folder(folder));
      continue;
    }
    const auto to = ASSAY_TRY(move_to_fixed(path));
    say("FIXED  {}: moved to {}\n", path, to);
  }
  return {};
}

void tell_printed(const ResultRow& row) {
  if (row.printed.empty()) return;
  const double lines = row.figures["printed_lines"];
  say("  {:.0f} line{} printed in the first run:\n", lines, lines == 1 ? "" : "s");
  for (std::string_view rest = row.printed; !rest.empty();) {
    const std::string_view line = first_line(rest);
    say("    | {}\n", line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
}

void tell(const ResultRow& row, const GpuModel& gpu) {
  std::fputs(fmt::format("{}  {}\n", terminal_of(stdout).verdict(row.verdict), printable(row.line())).c_str(), stdout);
  if (!row.detail.empty()) say("  {}\n", row.detail);
  if (row.figures.has("error_over_budget")) say("  error/budget {}\n", number_text(row.figures["error_over_budget"]));
  for (const WorstElement& element : row.worst)
    say("  {}{}: got {:.9g}, want {:.9g}, error/budget {}\n", element.tensor, element.index, element.got, element.want,
        number_text(element.error_over_budget));
  for (const SensitivityProbe& probe : row.sensitivity)
    if (!probe.noticed) say("  this case would not notice: {}\n", probe.mutant);
  tell_printed(row);
  for (const std::string& hint : row.hints) say("  hint: {}\n", hint);
  if (row.statistics) std::fputs(line_tables(*row.statistics, gpu).c_str(), stdout);
}

void tell_briefly(const ResultRow& row) { std::fputs(brief_text(row, terminal_of(stdout)).c_str(), stdout); }

// The element that index text such as "[3,17]" means in a tensor of this shape.
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

Result<int> run_replay(const ReplayArguments& given) {
  ReplayArguments arguments = given;
  if (names_launch(arguments.what[0])) return replay_launches(arguments);
  if (arguments.schedule != 0 || arguments.schedules != 1)
    return fail("a case line has its schedule in it", "--schedule and --schedules are for .launch files");
  if (arguments.case_limit_s <= 0) arguments.case_limit_s = kCaseLimit_s;
  if (find_gpu_tool(arguments.under)) arguments.device = kGpuDevice;
  take_file_of_adapter(arguments.kernels);
  const auto words = ASSAY_TRY(lines_of(arguments.what));
  if (words.lines.empty()) return kExitInconclusive;
  add_files_of(words, arguments.kernels);
  Guesses guesses;
  if (!arguments.kernels.files.empty() || !arguments.kernels.more.empty()) {
    arguments.kernels.compile.counts = arguments.stats;
    guesses = ASSAY_TRY(load_kernels(arguments.kernels)).guesses;
  }
  if (const auto code = refuse_device(arguments.device)) return *code;
  const auto cases = ASSAY_TRY(cases_of(words, arguments.device));
  if (arguments.under == "gdb") return tl::unexpected(replace_by_gdb(arguments));
  if (!arguments.under.empty()) return run_under_gpu_tool(arguments);
  WorkerPool pool({});
  const RunTask run = [&](const Task& task) {
    return arguments.in_process
               ? std::optional(run_here(task))
               : pool.run_one(task, std::chrono::duration<double>(arguments.case_limit_s), &interrupted_flag());
  };
  bool failed = false, judged = false;
  std::map<std::string, bool> passed;  // by file
  for (const auto& [c, path] : cases) {
    const Task task{
        c, arguments.device, {.statistics = arguments.stats, .watching = arguments.watching, .printed = true}};
    std::map<Kind, int> verdicts;
    for (int i = 0; i < arguments.times; ++i) {
      auto row = run(task);
      if (!row) return kExitInconclusive;
      if (!guesses.empty()) {
        std::vector<ResultRow> rows = {std::move(*row)};
        withhold_guessed(rows, guesses, run, kPassesOfAFailure);
        row = std::move(rows[0]);
      }
      if (verdicts[row->verdict]++ == 0)
        arguments.brief ? tell_briefly(*row) : tell(*row, gpu_model(arguments.bound_on));
      failed |= is_failure(row->verdict);
      if (words.of_folders) {
        const auto at = passed.emplace(path, true).first;
        at->second = at->second && row->verdict == Kind::pass;
      }
      judged |= is_failure(row->verdict) || row->verdict == Kind::pass;
    }
    if (arguments.times > 1)
      for (const auto& [kind, count] : verdicts) say("  {} of {} runs: {}\n", count, arguments.times, name(kind));
  }
  ASSAY_TRY(tell_fixed(passed, arguments.move_fixed));
  return failed ? kExitFail : judged ? kExitPass : kExitInconclusive;
}

}  // namespace

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
        command.add_flag("--brief", arguments.brief);
        command.add_flag("--in-process", arguments.in_process);
        command.add_flag("--move-fixed", arguments.move_fixed);
        command.add_option("--times", arguments.times)->check(CLI::Range(1, 100000));
        command.add_option("--schedule", arguments.schedule);
        command.add_option("--schedules", arguments.schedules)->check(CLI::Range(1, 1000));
        add_time(command, "--case-limit", arguments.case_limit_s)->check(kAboveZero);
      },
      [](const ReplayArguments& arguments, const std::vector<std::string>&) { return run_replay(arguments); });
}

}  // namespace assay
