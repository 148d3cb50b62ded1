// The parts of commands: a command declares its options beside the code that runs it, and cli.cpp lists them all.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/finish.h"

namespace assay {

struct Command {
  std::string name;  // also of its help page
  std::function<void(CLI::App& command)> add_options;
  std::function<Result<int>(const std::vector<std::string>& words)> run;  // with the whole command line; an exit code
  // Takes what another program's parser reads out of the words, before CLI11 sees them. May be empty.
  std::function<void(std::vector<std::string>& words)> take = {};
  bool uses_ops = true;  // the user's ops (--ops) are loaded before it runs
  // Takes the folder of a run, before ops are loaded. May be empty.
  std::function<Result<void>(const std::vector<std::string>& words)> take_folder = {};
};

// A command whose options are `Arguments`: `add` binds the options to them, `run` gets them.
template <class Arguments, class Add, class Run>
Command command_of(const std::string& name, Add add, Run run) {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = name,
          .add_options = [=](CLI::App& command) { add(command, *arguments); },
          .run = [=](const std::vector<std::string>& words) { return run(*arguments, words); }};
}

// The same for a command whose results go to arguments.out, unless a run goes on elsewhere.
template <class Arguments, class Add, class Run>
Command run_command_of(const std::string& name, Add add, Run run) {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = name,
          .add_options = [=](CLI::App& command) { add(command, *arguments); },
          .run = [=](const std::vector<std::string>& words) { return run(*arguments, words); },
          .take_folder = [=](const std::vector<std::string>& words) { return take_folder(*arguments, words); }};
}

// This order is that of `assay --help`.
Command check_command();
Command merge_command();
Command replay_case_command();
Command run_program_command();
Command cxx_command();
Command list_command();
Command adapt_command();
Command new_op_command();
Command bench_command();
Command nightly_command();
Command report_command();
Command compare_command();
Command history_command();
Command sharpness_command();
Command mutate_command();

inline constexpr double kShrinkDefault = 15;  // seconds for each defect

// Validators of numbers; CLI11's own messages spell the largest number in 300 digits, and take -1 for the largest seed.
extern const CLI::Validator kAboveZero, kNotNegative, kSeed;

void print_help(const std::string& page);
void add_help(CLI::App& app, const std::string& page);  // -h, --help

CLI::Option* add_time(CLI::App& command, const std::string& name, double& seconds);  // as 90, 90s, 5m or 1h
CLI::Option* add_budget(CLI::App& command, double& seconds);  // --budget, of compiling too, from this call on
CLI::Option* add_percent(CLI::App& command, const std::string& name, double& share);  // given as a percentage
void add_device(CLI::App& command, std::string& device, int& gpu);                    // --device, --gpu, --checked
void add_compile(CLI::App& command, CompileOptions& compile);   // -I, -D, --flags, --via, --nvcc-flags
void add_kernels(CLI::App& command, KernelArguments& kernels);  // what says how files meet an op
void add_format(CLI::App& command, bool& github);               // --format text|github

void add_bound_on(CLI::App& command, std::string& gpu);  // --bound-on, an option of gpu_models.h

// A flag for what only the checked build can do.
void add_checked_flag(CLI::App& command, const char* name, std::string& device, bool& flag);

template <class Arguments>
void add_checked_flags(CLI::App& command, Arguments& arguments) {
  add_checked_flag(command, "--stats", arguments.device, arguments.stats);
  add_bound_on(command, arguments.bound_on);
  add_checked_flag(command, "--hints", arguments.device, arguments.watching.hints);
  add_checked_flag(command, "--strict-barriers", arguments.device, arguments.watching.strict_barriers);
}

}  // namespace assay
