// Prints the progress of a campaign while it runs, its failures as they come, and the cases that they shrink to. It
// also streams the rows.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/cli/guessed.h"
#include "harness/cli/progress.h"
#include "harness/report/run_folder.h"
#include "harness/search/campaign.h"
#include "harness/search/regressions.h"

namespace assay {

// Failures are printed as they come, but a broken kernel fails in most of its cases: the first of each kind is enough
// here, the report has them all.
class CampaignConsole : public CampaignObserver {
 public:
  // `cases`: how many there will be, which may change while they are made. `save_to`: the folder for the smallest cases
  // of a variant's failures; empty: they are not saved.
  CampaignConsole(std::function<int64_t()> cases, RunFolder& folder, FolderOf save_to)
      : cases_(std::move(cases)),
        terminal_(terminal_of(stderr)),
        progress_(cases_(), isatty(STDERR_FILENO) != 0, terminal_.columns),
        folder_(folder),
        save_to_(std::move(save_to)) {}

  // Rows that are in the folder already, by place.
  void keep(std::set<int64_t> places) { kept_ = std::move(places); }

  // Failures are reported at the end only.
  void be_brief() { brief_ = true; }

  // Failures of these variants are not told before it is known which of them stand.
  void distrust(Guesses guesses) { guesses_ = std::move(guesses); }

  // The time left follows within seconds, as soon as some cases are done.
  void begin(const RunInfo& info) {
    progress_.say(fmt::format("{} cases on {}, {} at once; Ctrl-C keeps what was found", info.cases_planned,
                              info.device, info.jobs));
  }
  void case_done(const ResultRow& row) override {
    const bool stands = stands_by_itself(row);
    progress_.expect(cases_());
    progress_.advance(is_failure(row.verdict) && stands);
    if (!is_failure(row.verdict) || !stands) return;
    if (!brief_ && told_.emplace(row.id(), row.verdict).second)
      progress_.say(fmt::format("{}  {}", terminal_.verdict(row.verdict), printable(row.line())));
  }
  void row_ready(const ResultRow& row) override {
    if (!write_error && !kept_.contains(row.place)) {
      if (auto written = folder_.append(row); !written) write_error = written.error();
    }
  }
  void shrinking(const ResultRow& failing) override {
    if (!brief_ && stands_by_itself(failing))
      progress_.say(fmt::format("shrinking {}  {}", name(failing.verdict), failing.line()));
  }
  void shrunk(const ResultRow& failing, const ResultRow& smallest) override {
    if (!stands_by_itself(failing)) return;
    const bool simpler = smallest.line() != failing.line();
    if (!brief_)
      progress_.say(fmt::format("{} {}", simpler ? "  smallest:" : "  nothing smaller fails so:", smallest.line()));
    if (!save_to_) return;
    const auto path = save_regression(smallest, save_to_(smallest.id()));
    if (!brief_ || !path) progress_.say("  " + (path ? "saved as " + *path : "not saved: " + path.error().line()));
  }
  void not_shrunk(const std::string& id, size_t defects) override {
    progress_.say(fmt::format("{} more {} of {} not shrunk: repair the first and check again", defects,
                              defects == 1 ? "defect is" : "defects are", id));
  }

  std::optional<Error> write_error;  // the first failure to stream a row

 private:
  bool stands_by_itself(const ResultRow& row) const {
    const auto guess = guesses_.find(row.id());
    return guess == guesses_.end() || guess->second.leaves(row.verdict);
  }

  std::function<int64_t()> cases_;
  Terminal terminal_;
  Progress progress_;
  RunFolder& folder_;
  FolderOf save_to_;
  std::set<int64_t> kept_;
  Guesses guesses_;
  std::set<std::pair<std::string, Kind>> told_;
  bool brief_ = false;
};

std::string_view status_of(CampaignEnd end);  // as RunInfo has it
int jobs_max();                               // as many workers as the limit on open files allows
int jobs_or_cores(int wanted);                // 0: one worker for each core

}  // namespace assay
