// `assay compare`: what got worse from one run to another.
#include <cstdio>

#include "harness/base/terminal.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"
#include "harness/compare/show.h"

namespace assay {
namespace {

int exit_code_of(comparison::Outcome outcome) {
  switch (outcome) {
    case comparison::Outcome::same:
      return kExitPass;
    case comparison::Outcome::regressed:
      return kExitFail;
    case comparison::Outcome::inconclusive:
      return kExitInconclusive;
  }
  return kExitInconclusive;
}

std::string text_of(const comparison::Comparison& compared, const std::string& format) {
  if (format == "markdown") return comparison::comparison_markdown(compared);
  if (format == "json") return comparison::comparison_json(compared);
  if (format == "github") return comparison::comparison_github(compared);
  return comparison::comparison_text(compared, terminal_of(stdout));
}

}  // namespace

int run_compare(const CompareArguments& arguments) {
  const auto before = comparison::read_measured(arguments.before);
  if (!before) return usage_error(before.error());
  const auto after = comparison::read_measured(arguments.after);
  if (!after) return usage_error(after.error());
  const comparison::Comparison compared = comparison::compare(*before, *after, arguments.options);
  std::fputs(text_of(compared, arguments.format).c_str(), stdout);
  return exit_code_of(outcome(compared));
}

Command compare_command() {
  Command made = command_of<CompareArguments>(
      "compare",
      [](CLI::App& command, CompareArguments& arguments) {
        command.add_option("base", arguments.before)->required();
        command.add_option("new", arguments.after)->required();
        add_percent(command, "--min-effect", arguments.options.effect_min);
        command.add_option("--min-ns", arguments.options.ns_min)->check(kNotNegative);
        add_percent(command, "--resolution", arguments.options.resolution);
        command.add_option("--seed", arguments.options.seed)->check(kSeed);
        command.add_option("--format", arguments.format)->check(CLI::IsMember({"text", "markdown", "json", "github"}));
        for (const char* format : {"markdown", "json"})
          command.add_flag_callback(std::string("--") + format, [&arguments, format] { arguments.format = format; });
      },
      [](const CompareArguments& arguments, const std::vector<std::string>&) { return run_compare(arguments); });
  made.uses_ops = false;
  return made;
}

}  // namespace assay
