// Files of results, cases and histories in which bytes are changed, lost, doubled or moved: each is read or refused
// with its name, and nothing crashes or hangs.
//
// ASSAY_MUTATIONS=2000 build/tests/history --gtest_filter='DamagedFiles.*' tries 2,000 of each kind.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/rng.h"
#include "harness/compare/compare.h"
#include "harness/history/over_time.h"
#include "harness/history/show.h"
#include "harness/report/test_sample_report.h"
#include "harness/search/regressions.h"
#include "harness/selftest/run_program.h"

namespace assay::history {
namespace {

using selftest::read_text;
using selftest::Scratch;
using testing::HasSubstr;

int mutations() {
  const char* const wanted = std::getenv("ASSAY_MUTATIONS");
  return wanted ? std::stoi(wanted) : 150;
}

// One to four changes, as disks, editors and killed programs make them.
std::string mutated(std::string text, Rng& rng) {
  const auto below = [&](size_t count) { return static_cast<size_t>(rng.next() % std::max<size_t>(count, 1)); };
  for (size_t change = 1 + below(4); change > 0 && !text.empty(); --change) {
    const size_t at = below(text.size()), length = 1 + below(std::min<size_t>(40, text.size() - at));
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(rng.next());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.replace(at, length, std::string(length, '\0'));
        break;
      case 5:
        text.insert(at, "99999999999999999999");
        break;
      default:
        text.insert(at, std::string(below(3) + 1, "[{\"-1/,= \n"[below(10)]));
    }
  }
  return text;
}

class DamagedFiles : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return scratch_.path + "/" + name; }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }
  // `read` is given the damaged file, and returns an error's line or "".
  template <class Read>
  void expect_named(const std::string& path, const std::string& whole, const Read& read) {
    Rng rng(5);
    int refused = 0;
    const int count = mutations();
    for (int i = 0; i < count; ++i) {
      const std::string text = mutated(whole, rng);
      write(path, text);
      SCOPED_TRACE("mutation " + std::to_string(i));
      const std::string error = read();
      refused += !error.empty();
      if (error.empty()) continue;
      EXPECT_THAT(error, testing::AnyOf(HasSubstr(std::filesystem::path(path).filename().string()),
                                        HasSubstr("/run' has no results")));  // all of it was lost
    }
    EXPECT_GT(refused, count / 10) << "hardly anything was damaged";
    std::printf("%d of %d refused\n", refused, count);
  }
  Scratch scratch_;
};

TEST_F(DamagedFiles, Rows) {
  ASSERT_TRUE(write_report(timed_report(), at("run")));
  const std::string path = at("run/results.jsonl"), whole = read_text(path);
  expect_named(path, whole, [&] {
    const auto run = comparison::read_measured(at("run"));
    if (!run) return run.error().line();
    (void)comparison::compare(*run, *run);
    return std::string();
  });
}

TEST_F(DamagedFiles, Descriptions) {
  ASSERT_TRUE(write_report(timed_report(), at("run")));
  const std::string path = at("run/run.json"), whole = read_text(path);
  expect_named(path, whole, [&] {
    const auto run = read_report(at("run"));
    if (!run) return run.error().line();
    for (const Sink& sink : sinks()) (void)sink.render({run->info, {}});
    return std::string();
  });
}

TEST_F(DamagedFiles, SavedCases) {
  const std::string whole =
      "# MISMATCH at y[3]\nsoftmax_forward/warp_per_row bf16 rows=3 cols=65 fill=normal seed=7 block=128 schedule=12\n";
  expect_named(at("a.case"), whole, [&] {
    const auto cases = read_case_file(at("a.case"));
    if (!cases) return cases.error().line();
    for (const SavedCase& saved : *cases)
      if (const auto c = read_case(saved.line); !c) return saved.path + ": " + c.error().line();
    return std::string();
  });
}

TEST_F(DamagedFiles, Histories) {
  const std::string path = at("history.db");
  {
    const auto history = History::open(path, true);
    ASSERT_TRUE(history);
    for (int day = 1; day < 6; ++day) {
      comparison::Measured run;
      run.info = timed_report().info;
      run.info.started = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
      for (const ResultRow& row : timed_report().rows) ASSERT_TRUE(comparison::add_row(run, row));
      ASSERT_TRUE(history->add(run));
    }
  }
  const std::string whole = read_text(path);
  expect_named(path, whole, [&] {
    std::filesystem::remove(path + "-journal");
    const auto history = History::open(path, false);
    if (!history) return history.error().line();
    const auto runs = history->runs();
    if (!runs) return runs.error().line();
    (void)runs_text(*runs, 0);
    const auto trends = history->trends("", "");
    if (!trends) return trends.error().line();
    (void)trends_text(*trends, true);
    (void)trend_views(*trends);
    const auto exported = history->export_csv([](const std::string&) {});
    return exported ? std::string() : exported.error().line();
  });
}

}  // namespace
}  // namespace assay::history
