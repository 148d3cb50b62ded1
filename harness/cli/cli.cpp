// Parsing the command line, by CLI11. Help pages are the markdown files in help/, kept beside the options they
// describe.
#include "harness/cli/cli.h"
#include "harness/cli/compile_kernel.h"
#include "harness/cli/replay_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/adapter/build/compile_time.h"
#include "harness/adapter/user_ops.h"
#include "harness/base/check.h"
#include "harness/base/embedded.h"
#include "harness/base/error.h"
#include "harness/base/interrupt.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/bench/measuring_process.h"
#include "harness/cli/completion.h"
#include "harness/cli/help_page.h"
#include "harness/cli/long_quotes.h"
#include "harness/cli/options.h"
#include "harness/cli/standard_streams.h"
#include "harness/device/cpu/engine.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/search/worker.h"

namespace assay {
namespace {

constexpr const char* kOpsVariable = "ASSAY_OPS";

// For shells: scripts, which ask this program while somebody types, and the help as manual pages.
void add_for_shells(CLI::App& app, std::string& shell, std::string& page) {
  CLI::App* completion = app.add_subcommand("completion");
  add_help(*completion, "completion");
  completion->add_option("shell", shell)->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  CLI::App* manual = app.add_subcommand("man");
  add_help(*manual, "man");
  manual->add_option("page", page)->check(CLI::IsMember(command_names(app)));
}

// CLI11's message for a word that it does not know, and the word that was probably meant.
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
  say_to(stderr, "assay: {}\n", without_long_quotes(error.line()));
  return kExitUsage;
}

int exit_code(const Result<int>& command) { return command ? *command : usage_error(command.error()); }

namespace {

// The commands in the order of `assay --help`.
std::vector<Command> all_commands() {
  return {check_command(),   merge_command(),   replay_case_command(), run_program_command(), cxx_command(),
          list_command(),    adapt_command(),   new_op_command(),      bench_command(),       report_command(),
          compare_command(), history_command(), nightly_command(),     sharpness_command(),   mutate_command()};
}

// Options of every command.
void add_common(CLI::App& app, std::vector<std::string>& ops) {
  add_help(app, "assay");
  app.add_flag_callback("--version", [] {
    std::puts("assay " ASSAY_VERSION);
    throw CLI::Success();
  });
  app.require_subcommand(1);
  app.fallthrough();  // every command takes the options below
  app.add_option_function<std::string>("--color", choose_color)->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option_function<double>("--compile-limit", limit_compiling)
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(kAboveZero);
  app.add_option("--ops", ops)->allow_extra_args(false)->delimiter(':')->envname(kOpsVariable);
}

int run_command_line(int argc, const std::vector<std::string>& command) {
  CLI::App app("assay");
  std::vector<std::string> ops;
  add_common(app, ops);
  const std::vector<Command> all = all_commands();
  for (const Command& each : all) {
    CLI::App* const subcommand = app.add_subcommand(each.name);
    add_help(*subcommand, each.name);
    each.add_options(*subcommand);
  }
  std::string shell, page;
  add_for_shells(app, shell, page);
  if (argc == 1) {
    print_help("assay");
    return kExitUsage;
  }
  if (command[1] == "complete") {
    const auto first = std::ranges::find(command, "--");
    for (const std::string& word : completions(app, {first == command.end() ? first : first + 1, command.end()}))
      std::puts(word.c_str());
    return kExitPass;
  }
  const std::vector<std::string> commands = command_names(app);
  if (!command[1].starts_with('-') && std::ranges::find(commands, command[1]) == commands.end())
    return usage_error({fmt::format("there is no command '{}'", printable(command[1])),
                        suggestion(command[1], commands) + " (`assay --help`)"});
  std::vector<std::string> words(command.rbegin(), command.rend() - 1);  // CLI11 takes them in reverse
  for (const Command& each : all)
    if (each.name == command[1] && each.take) each.take(words);
  try {
    app.parse(words);
  } catch (const CLI::Success&) {
    return kExitPass;
  } catch (const CLI::ParseError& error) {
    return usage_error(unknown_word(app, error));
  }
  for (const Command& each : all) {
    if (!app.got_subcommand(each.name)) continue;
    if (each.take_folder)
      if (const auto taken = each.take_folder(command); !taken) return usage_error(taken.error());
    if (each.uses_ops)
      if (const auto loaded = load_ops(ops); !loaded) return usage_error(loaded.error());
    return exit_code(each.run(command));
  }
  if (app.got_subcommand("completion")) {
    std::fputs(embedded_file("completion." + shell).c_str(), stdout);
  } else {
    std::fputs(manual_page(embedded_file((page.empty() ? "assay" : page) + ".md"), page).c_str(), stdout);
  }
  return kExitPass;
}

}  // namespace

int cli_main(int argc, char** argv) {
  // A build without kernels for the executor has those of the GPU's modules.
  const bool has_variants = !variants().empty() || (gpu_platform() && !variants().empty());
  ASSAY_CHECK(!all_ops().empty() && has_variants, "nothing is registered: the build dropped its ops or variants");
  const std::vector<std::string> command(argv, argv + argc);
  const auto why_fibers = choose_engine();
  if (!why_fibers) return usage_error(why_fibers.error());
  if (argc == 2 && command[1] == "worker") return worker_main();
  if (argc > 2 && command[1] == "compile-kernel") return compile_kernel_main({command.begin() + 2, command.end()});
  if (argc > 2 && command[1] == "replay-launch") return replay_launch_main({command.begin() + 2, command.end()});
  if (argc > 2 && command[1] == "compile-program") return compile_program_main({command.begin() + 2, command.end()});
  if (argc == 3 && command[1] == "bench-worker") return measuring_main(command[2]);
  prepare_standard_streams();
  if (!why_fibers->empty()) say_to(stderr, "ASSAY_ENGINE=regions: built-in kernels run as fibers: {}\n", *why_fibers);
  int code = kExitUsage;
  try {
    code = run_command_line(argc, command);
  } catch (const std::exception& error) {  // an unforeseen one; the rows of a run are on disk by then
    usage_error({error.what(),
                 "unless something is wrong with a file or folder that the command uses, this is a bug of assay"});
  }
  const bool ended = was_interrupted() || budget_ended_preparation();
  if (ended && code == kExitUsage) code = kExitInconclusive;  // what it ended was no mistake
  if (const auto lost = lost_output()) {
    if (!output_is_unread()) return usage_error(*lost);
    return code == kExitPass ? kExitUnread : code;  // the closed pipe shows that it is not all
  }
  return code;
}

}  // namespace assay
