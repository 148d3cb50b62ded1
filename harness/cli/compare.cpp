// `assay compare`: what got worse from one run to another.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

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

// "5%", or the share 0.05; without % a number from 1 up may be meant either way.
std::optional<double> growth_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  const bool is_percentage = std::string_view(at, end) == "%";
  if (error != std::errc() || !(number >= 0) || std::isinf(number)) return std::nullopt;
  if (is_percentage) return number / 100;
  return at == end && number < 1 ? std::optional(number) : std::nullopt;
}

const CLI::Validator kGrowth(
    [](const std::string& text) {
      return growth_of(text) ? "" : "'" + text + "' is no growth: write a percentage, 5%, or a share below 1, 0.05";
    },
    "");

Result<int> run_compare(const CompareArguments& arguments) {
  const auto before = ASSAY_TRY(comparison::read_measured(arguments.before));
  const auto after = ASSAY_TRY(comparison::read_measured(arguments.after));
  const comparison::Comparison compared = comparison::compare(before, after, arguments.options);
  std::fputs(text_of(compared, arguments.format).c_str(), stdout);
  return exit_code_of(outcome(compared));
}

}  // namespace

Command compare_command() {
  Command made = command_of<CompareArguments>(
      "compare",
      [](CLI::App& command, CompareArguments& arguments) {
        command.add_option("base", arguments.before)->required();
        command.add_option("new", arguments.after)->required();
        add_percent(command, "--min-effect", arguments.options.effect_min);
        command.add_option("--min-ns", arguments.options.ns_min)->check(kNotNegative);
        add_percent(command, "--resolution", arguments.options.resolution);
        command
            .add_option_function<std::string>(
                "--max-growth",
                [&arguments](const std::string& text) { arguments.options.growth_max = *growth_of(text); })
            ->check(kGrowth);
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
