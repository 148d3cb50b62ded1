// `assay history`: what runs measured over time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>

#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"
#include "harness/compare/baseline.h"
#include "harness/history/show.h"
#include "harness/report/summary.h"

namespace assay {
namespace {

using history::History;

Result<void> no_words(const HistoryArguments& arguments) {
  if (arguments.words.empty()) return {};
  return fail("'" + arguments.words.front() + "' is one word too many for assay history " + arguments.action,
              "see `assay history --help`");
}

// Runs before the one that cannot be added stay added.
Result<int> add_runs(const History& history, const std::vector<std::string>& runs, const std::string& path) {
  if (runs.empty()) return fail("assay history add needs a run", "name its folder: assay history add reports/latest");
  for (const std::string& run : runs) {
    const auto measured = ASSAY_TRY(comparison::read_measured(run));
    const bool added = ASSAY_TRY(history.add(measured));
    say("{} {}: {}\n", added ? "added to" : "is there already, in", path, run);
  }
  return kExitPass;
}

Result<int> show_runs(const History& history, size_t last) {
  const auto runs = ASSAY_TRY(history.runs());
  std::fputs(history::runs_text(runs, last, terminal_of(stdout)).c_str(), stdout);
  return kExitPass;
}

Result<int> show_campaign(const History& history, int64_t days) {
  const auto campaign = ASSAY_TRY(history.campaign(days));
  if (campaign.tallies.empty())
    return fail("no run in this history has judged a case", "add runs of `assay check` or `assay nightly`");
  std::fputs(history::campaign_text(campaign).c_str(), stdout);
  return kExitPass;
}

// The patterns that a word selects: a file of kernels is compiled to learn its variants.
Result<std::vector<std::string>> selected_by(const HistoryArguments& arguments) {
  std::vector<std::string> words = arguments.words;
  KernelArguments kernels = arguments.kernels;
  take_files(words, kernels);
  if (kernels.files.empty()) return words.empty() ? std::vector<std::string>{""} : words;
  const auto loaded = ASSAY_TRY(load_kernels(kernels));
  if (loaded.ids.empty()) return fail("how the kernel meets the op is a guess", "name its op/variant");
  return loaded.ids;
}

Result<int> show_trends(const History& history, const HistoryArguments& arguments) {
  const auto selected = ASSAY_TRY(selected_by(arguments));
  const std::string select = fmt::format("{}", fmt::join(selected, ", "));
  std::vector<history::Trend> all;
  std::set<std::string> shown;  // two words may select one series
  for (const std::string& one : selected)
    std::ranges::copy_if(
        ASSAY_TRY(history.trends(one, arguments.metric)), std::back_inserter(all), [&](const history::Trend& each) {
          return shown
              .insert(fmt::format("{}\n{}\n{}\n{}\n{}", each.variant, each.subject, each.device, each.gpu, each.metric))
              .second;
        });
  if (all.empty())
    return fail("no series has '" + select + "' and '" + arguments.metric + "' in its name",
                "`assay history export` prints all that there are");
  std::fputs(history::trends_text(all, arguments.all, terminal_of(stdout)).c_str(), stdout);
  return kExitPass;
}

Result<int> export_all(const History& history, const std::string& out) {
  std::string text;
  ASSAY_TRY(history.export_csv([&](const std::string& line) {
    if (out.empty()) {
      std::fputs(line.c_str(), stdout);
    } else {
      text += line;
    }
  }));
  if (!out.empty()) ASSAY_TRY(write_file(out, text));
  return kExitPass;
}

Result<int> write_baseline(const HistoryArguments& arguments) {
  if (arguments.words.size() != 1) return fail("assay history baseline needs a run", "name its folder");
  const auto report = ASSAY_TRY(read_report(arguments.words.front()));
  if (!is_complete(report.info))
    return fail("'" + arguments.words.front() + "' is no complete run, so it is no baseline",
                "run the suite to its end");
  if (const Summary summary = summarise(report); !arguments.with_failures && failures(summary.verdicts) > 0)
    return fail(fmt::format("'{}' is no baseline: {}", arguments.words.front(), summary.headline),
                "repair them and run the suite again; or --with-failures keeps them, and `assay compare` reports what "
                "fails in both runs");
  const std::string out = arguments.out.empty() ? comparison::baseline_path(report.info) : arguments.out;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(out).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  ASSAY_TRY(write_file(out, comparison::baseline_text(report)));
  say("baseline: {}\n", out);
  return kExitPass;
}

Result<int> run_history(const HistoryArguments& arguments) {
  if (arguments.action == "baseline") return write_baseline(arguments);
  const std::string path = arguments.path.empty() ? history::kDefaultPath : arguments.path;
  if (arguments.action != "add" && arguments.action != "trend") ASSAY_TRY(no_words(arguments));
  const auto history = ASSAY_TRY(History::open(path, arguments.action == "add"));
  if (arguments.action == "add") return add_runs(history, arguments.words, path);
  if (arguments.action == "show") return show_runs(history, static_cast<size_t>(arguments.last.value_or(20)));
  if (arguments.action == "campaign") return show_campaign(history, arguments.last.value_or(10));
  if (arguments.action == "trend") return show_trends(history, arguments);
  return export_all(history, arguments.out);
}

}  // namespace

Command history_command() {
  return command_of<HistoryArguments>(
      "history",
      [](CLI::App& command, HistoryArguments& arguments) {
        command.add_option("action", arguments.action)
            ->required()
            ->check(CLI::IsMember({"add", "show", "campaign", "trend", "export", "baseline"}));
        command.add_option("words", arguments.words);
        add_kernels(command, arguments.kernels);
        command.add_option("--source", arguments.kernels.files);
        command.add_option("--db", arguments.path);
        command.add_option("--metric", arguments.metric);
        command.add_option("--out", arguments.out);
        command.add_option("--last", arguments.last)->check(kNotNegative);
        command.add_flag("--all", arguments.all);
        command.add_flag("--with-failures", arguments.with_failures);
      },
      [](const HistoryArguments& arguments, const std::vector<std::string>&) { return run_history(arguments); });
}

}  // namespace assay
