// Parsing the command line, by CLI11. Help pages are the markdown files in help/, kept beside the options they
// describe.
#include "harness/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "harness/adapter/build.h"
#include "harness/adapter/user_kernels.h"
#include "harness/adapter/user_ops.h"
#include "harness/base/check.h"
#include "harness/base/embedded.h"
#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/bench/measuring_process.h"
#include "harness/cli/completion.h"
#include "harness/cli/gpu_tools.h"
#include "harness/cli/help_page.h"
#include "harness/cli/standard_streams.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/report/report.h"
#include "harness/report/text.h"
#include "harness/search/suite.h"
#include "harness/search/worker.h"

namespace assay {
namespace {

constexpr const char* kOpsVariable = "ASSAY_OPS";

// CLI11's own messages spell the largest number in 300 digits.
const CLI::Validator kAboveZero(
    [](const std::string& text) { return std::strtod(text.c_str(), nullptr) > 0 ? "" : text + " is not above 0"; }, "");
const CLI::Validator kNotNegative(
    [](const std::string& text) { return std::strtod(text.c_str(), nullptr) >= 0 ? "" : text + " is below 0"; }, "");

// CLI11 takes -1 for the largest seed there is, and so it does larger ones.
const CLI::Validator kSeed(
    [](const std::string& text) {
      uint64_t seed = 0;
      const char* const end = text.data() + text.size();
      const auto [read, error] = std::from_chars(text.data(), end, seed);
      return error == std::errc() && read == end ? "" : text + " is no whole number from 0 to 18446744073709551615";
    },
    "");

// As 90, 90s, 5m or 1h.
CLI::Option* add_time(CLI::App& command, const std::string& name, double& seconds) {
  return command.add_option(name, seconds)
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}));
}

void print_help(const std::string& page) {
  std::fputs(help_text(embedded_file(page + ".md"), terminal_of(stdout)).c_str(), stdout);
}

// Prints the page and ends parsing: CLI::Success is what CLI11 throws for its own help.
void add_help(CLI::App& app, const std::string& page) {
  app.set_help_flag();
  app.add_flag_callback("-h,--help",
                        [page] {
                          print_help(page);
                          throw CLI::Success();
                        })
      ->configurable(false);
}

// The number goes to the workers by the environment.
void add_device(CLI::App& command, std::string& device, int& gpu) {
  command.add_option("--device", device);
  command.add_option("--gpu", gpu)->check(kNotNegative)->each([&device](const std::string& number) {
    device = kGpuDevice;
    setenv("ASSAY_GPU", number.c_str(), 1);
  });
  command.add_flag_callback("--checked", [&device] { device = kCheckedDevice; });
}

// What only the checked build can do.
void add_checked_flag(CLI::App& command, const char* name, std::string& device, bool& flag) {
  command
      .add_flag_callback(name,
                         [&device, &flag] {
                           flag = true;
                           device = kCheckedDevice;
                         })
      ->excludes("--device");
}

template <class Arguments>
void add_checked_flags(CLI::App& command, Arguments& arguments) {
  add_checked_flag(command, "--stats", arguments.device, arguments.stats);
  add_checked_flag(command, "--hints", arguments.device, arguments.watching.hints);
  add_checked_flag(command, "--strict-barriers", arguments.device, arguments.watching.strict_barriers);
}

void add_list(CLI::App& app, ListArguments& list) {
  CLI::App* command = app.add_subcommand("list");
  add_help(*command, "list");
  command->add_option("what", list.what)
      ->check(CLI::IsMember({"ops", "variants", "suites", "fills", "devices", "resources"}));
}

void add_compile(CLI::App& command, CompileOptions& compile) {
  command.add_option("-I", compile.include)->allow_extra_args(false);
  command.add_option("-D", compile.define)->allow_extra_args(false);
  command.add_option("--flags", compile.flags);
}

void add_kernels(CLI::App& command, KernelArguments& kernels) {
  command.add_option("--op", kernels.op);
  command.add_option("--kernel", kernels.kernel);
  command.add_option("--entry", kernels.entry);
  command.add_option("--adapter", kernels.adapter);
  add_compile(command, kernels.compile);
}

void add_format(CLI::App& command, bool& github) {
  command
      .add_option_function<std::string>("--format", [&github](const std::string& name) { github = name == "github"; })
      ->check(CLI::IsMember({"text", "github"}));
}

void add_check(CLI::App& app, CheckArguments& check) {
  CLI::App* command = app.add_subcommand("check");
  add_help(*command, "check");
  command->add_option("select", check.select);
  add_kernels(*command, check.kernels);
  command->add_option("--source", check.kernels.files);
  command->add_option("--suite", check.suite);
  add_device(*command, check.device, check.gpu);
  add_checked_flags(*command, check);
  command->add_option("--cases", check.cases)->check(CLI::Range(int64_t{0}, kCasesMax));
  command->add_option("--seed", check.seed)->check(kSeed);
  add_time(*command, "--budget", check.budget_s)->check(kAboveZero);
  add_time(*command, "--shrink", check.shrink_s)->check(kNotNegative);
  add_time(*command, "--case-limit", check.case_limit_s)->check(kAboveZero);
  command->add_option("--jobs,-j", check.jobs)->check(CLI::Range(1, 1024));
  command->add_option("--out", check.out);
  command->add_option("--regressions", check.regressions);
  command->add_flag("--save,!--no-save", check.save);
  add_format(*command, check.github);
}

void add_replay(CLI::App& app, ReplayArguments& replay) {
  CLI::App* command = app.add_subcommand("replay");
  add_help(*command, "replay");
  command->add_option("case", replay.what)->required();
  add_kernels(*command, replay.kernels);
  command->add_option("--source", replay.kernels.files);
  add_device(*command, replay.device, replay.gpu);
  std::vector<std::string> tools = {"gdb"};
  for (const GpuTool& tool : gpu_tools()) tools.push_back(tool.name);
  command->add_option("--under", replay.under)->check(CLI::IsMember(tools));
  add_checked_flags(*command, replay);
  command->add_flag("--in-process", replay.in_process);
  command->add_option("--times", replay.times)->check(CLI::Range(1, 100000));
  add_time(*command, "--case-limit", replay.case_limit_s)->check(kAboveZero);
}

void add_bench(CLI::App& app, BenchArguments& bench) {
  CLI::App* command = app.add_subcommand("bench");
  add_help(*command, "bench");
  command->add_option("select", bench.select);
  command->add_option("--suite", bench.suite);
  add_device(*command, bench.device, bench.gpu);
  command->add_option("--seed", bench.seed)->check(kSeed);
  add_time(*command, "--budget", bench.budget_s)->check(kAboveZero);
  add_time(*command, "--case-budget", bench.case_budget_s)->check(kAboveZero);
  command->add_option("--noise", bench.noise)->check(CLI::Range(1e-6, 1.0));
  command->add_flag("!--warm", bench.cold);
  add_time(*command, "--case-limit", bench.case_limit_s)->check(kAboveZero);
  command->add_option("--elements-max", bench.elements_max)->check(kAboveZero);
  command->add_option("--flops-max", bench.flops_max)->check(kAboveZero);
  command->add_option("--jobs,-j", bench.jobs)->check(CLI::Range(1, 1024));
  CLI::Option* out = command->add_option("--out", bench.out);
  command->add_option("--resume", bench.resume)->excludes(out);
}

// Google Benchmark parses its own flags: they are taken out of what CLI11 sees.
std::vector<std::string> take_google_benchmark_flags(std::vector<std::string>& words) {
  const auto is_theirs = [](const std::string& word) { return word.starts_with("--benchmark_"); };
  const auto first = std::stable_partition(words.begin(), words.end(), std::not_fn(is_theirs));
  std::vector<std::string> flags(first, words.end());
  words.erase(first, words.end());
  return flags;
}

void add_adapt(CLI::App& app, AdaptArguments& adapt) {
  CLI::App* command = app.add_subcommand("adapt");
  add_help(*command, "adapt");
  command->add_option("file", adapt.file)->required();
  command->add_option("--op", adapt.op);
  command->add_option("--kernel", adapt.kernels);
  add_compile(*command, adapt.compile);
  command->add_option("--out", adapt.out);
  command->add_flag("--force", adapt.force);
}

void add_new_op(CLI::App& app, NewOpArguments& new_op) {
  CLI::App* command = app.add_subcommand("new-op");
  add_help(*command, "new-op");
  command->add_option("name", new_op.name)->required();
  command->add_option("--dir", new_op.dir);
  command->add_flag("--force", new_op.force);
}

void add_report(CLI::App& app, ReportArguments& report) {
  CLI::App* command = app.add_subcommand("report");
  add_help(*command, "report");
  command->add_option("run", report.runs)->required();
  command->add_option("--out", report.out);
  for (const Sink& sink : sinks())
    if (!sink.option.empty())
      command->add_flag_callback("--" + sink.option, [&report, &sink] { report.formats.insert(sink.option); });
  add_format(*command, report.github);
}

// Shares are given as percentages.
CLI::Option* add_percent(CLI::App& command, const std::string& name, double& share) {
  return command.add_option_function<double>(name, [&share](const double& percent) { share = percent / 100; })
      ->check(kAboveZero);
}

void add_compare(CLI::App& app, CompareArguments& compare) {
  CLI::App* command = app.add_subcommand("compare");
  add_help(*command, "compare");
  command->add_option("base", compare.before)->required();
  command->add_option("new", compare.after)->required();
  add_percent(*command, "--min-effect", compare.options.effect_min);
  command->add_option("--min-ns", compare.options.ns_min)->check(kNotNegative);
  add_percent(*command, "--resolution", compare.options.resolution);
  command->add_option("--seed", compare.options.seed)->check(kSeed);
  command->add_option("--format", compare.format)->check(CLI::IsMember({"text", "markdown", "json", "github"}));
  for (const char* format : {"markdown", "json"})
    command->add_flag_callback(std::string("--") + format, [&compare, format] { compare.format = format; });
}

void add_history(CLI::App& app, HistoryArguments& history) {
  CLI::App* command = app.add_subcommand("history");
  add_help(*command, "history");
  command->add_option("action", history.action)
      ->required()
      ->check(CLI::IsMember({"add", "show", "trend", "export", "baseline"}));
  command->add_option("words", history.words);
  command->add_option("--db", history.path);
  command->add_option("--metric", history.metric);
  command->add_option("--out", history.out);
  command->add_option("--last", history.last)->check(kNotNegative);
  command->add_flag("--all", history.all);
}

void add_sharpness(CLI::App& app, SharpnessArguments& sharpness) {
  CLI::App* command = app.add_subcommand("sharpness");
  add_help(*command, "sharpness");
  command->add_option("select", sharpness.select);
  command->add_option("--cases", sharpness.cases)->check(CLI::Range(int64_t{1}, kCasesMax));
  command->add_option("--seed", sharpness.seed)->check(kSeed);
  command->add_option("--suite", sharpness.suite);
  command->add_option("--csv", sharpness.csv);
}

// For shells: scripts, which ask this program while somebody types, and the help as manual pages.
void add_for_shells(CLI::App& app, std::string& shell, std::string& page) {
  CLI::App* completion = app.add_subcommand("completion");
  add_help(*completion, "completion");
  completion->add_option("shell", shell)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  CLI::App* manual = app.add_subcommand("man");
  add_help(*manual, "man");
  manual->add_option("page", page)->check(CLI::IsMember(command_names(app)));
}

// What CLI11 says of a word that it does not know, and the word that was probably meant.
Error unknown_word(const CLI::App& app, const CLI::ParseError& error) {
  const std::string see = "see `assay --help` and `assay COMMAND --help`";
  const std::string message = error.what();
  const size_t dashes = message.find(": --");
  if (!message.starts_with("The following argument") || dashes == std::string::npos) return {message, see};
  std::vector<std::string> known = option_names(app);
  for (const CLI::App* command : app.get_subcommands())
    for (std::string& name : option_names(*command)) known.push_back(std::move(name));
  const std::string word = message.substr(dashes + 2, message.find_first_of(" =", dashes + 2) - dashes - 2);
  return {"there is no option " + word, suggestion(word, known) + " (" + see + ")"};
}

// Programs that a command starts, such as a debugger around another `assay`, find the ops by the environment.
Result<void> load_ops(const std::vector<std::string>& folders) {
  std::vector<std::string> absolute;
  absolute.reserve(folders.size());
  for (const std::string& folder : folders) absolute.push_back(std::filesystem::absolute(folder).string());
  if (!folders.empty()) setenv(kOpsVariable, fmt::format("{}", fmt::join(absolute, ":")).c_str(), 1);
  return load_user_ops(folders);
}

}  // namespace

std::optional<int> refuse_device(const std::string& name) {
  const DeviceKind* kind = find_device(name);
  if (!kind) {
    std::vector<std::string> known;
    for (const DeviceKind& each : device_kinds()) known.push_back(each.name);
    return usage_error({"there is no device '" + name + "'", suggestion(name, known) + " (`assay list devices`)"});
  }
  const auto missing = kind->missing();
  if (!missing) return std::nullopt;
  say_to(stderr, "assay: skipped, device {} is not here: {}\n", name, missing->line());
  return kExitInconclusive;
}

int usage_error(const Error& error) {
  say_to(stderr, "assay: {}\n", error.line());
  return kExitUsage;
}

namespace {

int run_command_line(int argc, const std::vector<std::string>& command) {
  CLI::App app("assay");
  add_help(app, "assay");
  app.add_flag_callback("--version", [] {
    std::puts("assay " ASSAY_VERSION);
    throw CLI::Success();
  });
  app.require_subcommand(1);
  app.fallthrough();  // every command takes the options below
  app.add_option_function<std::string>("--color", choose_color)->check(CLI::IsMember({"auto", "always", "never"}));
  std::vector<std::string> ops;
  app.add_option("--ops", ops)->allow_extra_args(false)->delimiter(':')->envname(kOpsVariable);
  ListArguments list;
  CheckArguments check;
  ReplayArguments replay;
  BenchArguments bench;
  AdaptArguments adapt;
  NewOpArguments new_op;
  ReportArguments report;
  CompareArguments compare;
  HistoryArguments history;
  SharpnessArguments sharpness;
  add_list(app, list);
  add_check(app, check);
  add_replay(app, replay);
  add_bench(app, bench);
  add_adapt(app, adapt);
  add_new_op(app, new_op);
  add_report(app, report);
  add_compare(app, compare);
  add_history(app, history);
  add_sharpness(app, sharpness);
  std::string shell, page;
  add_for_shells(app, shell, page);
  if (argc == 1) {
    print_help("assay");
    return kExitUsage;
  }
  if (command[1] == "complete") {
    const auto first = std::find(command.begin(), command.end(), "--");
    for (const std::string& word : completions(app, {first == command.end() ? first : first + 1, command.end()}))
      std::puts(word.c_str());
    return kExitPass;
  }
  const std::vector<std::string> commands = command_names(app);
  if (!command[1].starts_with('-') && std::find(commands.begin(), commands.end(), command[1]) == commands.end())
    return usage_error({fmt::format("there is no command '{}'", printable(command[1])),
                        suggestion(command[1], commands) + " (`assay --help`)"});
  std::vector<std::string> words(command.rbegin(), command.rend() - 1);  // CLI11 takes them in reverse
  if (command[1] == "bench") bench.google_benchmark = take_google_benchmark_flags(words);
  try {
    app.parse(words);
  } catch (const CLI::Success&) {
    return kExitPass;
  } catch (const CLI::ParseError& error) {
    return usage_error(unknown_word(app, error));
  }
  if (app.got_subcommand("completion")) {
    std::fputs(embedded_file("completion." + shell).c_str(), stdout);
    return kExitPass;
  }
  if (app.got_subcommand("man")) {
    std::fputs(manual_page(embedded_file((page.empty() ? "assay" : page) + ".md"), page).c_str(), stdout);
    return kExitPass;
  }
  if (app.got_subcommand("new-op")) return run_new_op(new_op);
  if (app.got_subcommand("compare")) return run_compare(compare);
  if (app.got_subcommand("history")) return run_history(history);
  if (const auto loaded = load_ops(ops); !loaded) return usage_error(loaded.error());
  if (app.got_subcommand("list")) return run_list(list);
  if (app.got_subcommand("check")) return run_check(check, command);
  if (app.got_subcommand("replay")) return run_replay(replay);
  if (app.got_subcommand("bench")) return run_bench(bench, command);
  if (app.got_subcommand("adapt")) return run_adapt(adapt);
  if (app.got_subcommand("sharpness")) return run_sharpness(sharpness);
  return run_report(report);
}

}  // namespace

int cli_main(int argc, char** argv) {
  // A build without kernels for the executor has those of the GPU's modules.
  const bool has_variants = !variants().empty() || (gpu_platform() && !variants().empty());
  ASSAY_CHECK(!all_ops().empty() && has_variants, "nothing is registered: the build dropped its ops or variants");
  const std::vector<std::string> command(argv, argv + argc);
  if (argc == 2 && command[1] == "worker") return worker_main();
  if (argc == 3 && command[1] == "bench-worker") return measuring_main(command[2]);
  prepare_standard_streams();
  int code = kExitUsage;
  try {
    code = run_command_line(argc, command);
  } catch (const std::exception& error) {  // that nobody foresaw; the rows of a run are on disk by then
    usage_error({error.what(),
                 "unless something is wrong with a file or folder that the command uses, this is a bug of assay"});
  }
  if (was_interrupted() && code == kExitUsage) code = kExitInconclusive;  // what it ended was no mistake
  if (const auto lost = lost_output()) return usage_error(*lost);
  return code;
}

}  // namespace assay
