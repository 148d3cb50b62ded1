// The folder of a run that has not ended: nothing in it looks complete, and it belongs to one run.
#include "harness/report/run_folder.h"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "harness/base/command.h"
#include "harness/report/console.h"
#include "harness/report/github.h"
#include "harness/report/summary.h"
#include "harness/report/test_golden.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "assay_run_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    for (const char* end : {"", "-2", "-3"}) fs::remove_all(directory_ + end);
  }
  std::string directory_;
};

TEST_F(RunFolderTest, OfAnEarlierRunNothingIsLeft) {
  ASSERT_TRUE(write_report(timed_report(), directory_));
  RunInfo info = timed_report().info;
  info.cases_planned = 433;
  auto folder = RunFolder::open(directory_, info);
  ASSERT_TRUE(folder) << folder.error().line();
  const auto killed = read_report(directory_);
  ASSERT_TRUE(killed) << killed.error().line();
  EXPECT_EQ(summarise(*killed).outcome, Outcome::inconclusive);
  EXPECT_FALSE(fs::exists(directory_ + "/report.html")) << "before it begins";
  ASSERT_TRUE(folder->begin(info));
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(folder->append(row_of("op", "v", DType::f32, "n=" + std::to_string(i), Kind::pass, 0.5)));
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(directory_)) files.push_back(entry.path().filename());
  EXPECT_THAT(files, testing::UnorderedElementsAre("run.json", "results.jsonl"));
  const auto left = read_report(directory_);
  ASSERT_TRUE(left) << left.error().line();
  EXPECT_EQ(summarise(*left).outcome, Outcome::inconclusive);
}

TEST_F(RunFolderTest, WhatNeverBeganLeavesItAsItWas) {
  ASSERT_TRUE(write_report(timed_report(), directory_));
  const auto contents = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(directory_)) all[entry.path()] = text_of_file(entry.path());
    return all;
  };
  const auto before = contents();
  ASSERT_GT(before.size(), 3u);
  ASSERT_TRUE(RunFolder::open(directory_, {}));
  EXPECT_EQ(contents(), before);
  {
    auto folder = RunFolder::open(directory_, {});
    ASSERT_TRUE(folder);
    EXPECT_NE(contents(), before);
    folder->give_back();
    EXPECT_EQ(contents(), before);
    EXPECT_EQ(RunFolder::open(directory_, {})->path(), directory_) << "others may have it";
  }
  const std::string fresh = directory_ + "-2/a/b";
  ASSERT_TRUE(RunFolder::open(fresh, {}));
  EXPECT_FALSE(fs::exists(directory_ + "-2")) << "folders that it made";
}

TEST_F(RunFolderTest, AnEarlierRunIsGoneOnceAProcessWasKilled) {
  ASSERT_TRUE(write_report(timed_report(), directory_));
  const auto killed = run_process({.body = [&] {
    const auto folder = RunFolder::open(directory_, {});
    raise(SIGKILL);
    return 0;
  }});
  ASSERT_TRUE(killed && !killed->end.ok());
  ASSERT_TRUE(RunFolder::open(directory_, {})) << "and then a command that is refused";
  const auto left = read_report(directory_);
  ASSERT_TRUE(left) << left.error().line();
  EXPECT_EQ(left->info.status, kRunning);
  EXPECT_FALSE(fs::exists(directory_ + "/report.html"));
}

TEST_F(RunFolderTest, ARunThatGoesOnKeepsItsRows) {
  std::vector<ResultRow> kept;
  for (int i = 0; i < 3; ++i) kept.push_back(row_of("op", "v", DType::f32, "n=" + std::to_string(i), Kind::pass, 0.5));
  ASSERT_TRUE(write_report({timed_report().info, kept}, directory_));
  std::ofstream(directory_ + "/results.jsonl", std::ios::app) << "{\"torn";
  {
    auto folder = RunFolder::resume(directory_, timed_report().info, kept);
    ASSERT_TRUE(folder) << folder.error().line();
    EXPECT_THAT(RunFolder::resume(directory_, timed_report().info, kept).error().line(),
                HasSubstr("another run is writing to "));
    ASSERT_TRUE(folder->append(row_of("op", "v", DType::f32, "n=3", Kind::pass, 0.5)));
  }
  const auto left = read_report(directory_);
  ASSERT_TRUE(left) << left.error().line();
  EXPECT_EQ(left->rows.size(), 4u);
  EXPECT_EQ(left->info.status, kRunning);
  EXPECT_FALSE(fs::exists(directory_ + "/results.csv")) << "of the run as it was";
}

TEST_F(RunFolderTest, EveryOutputSaysThatARunIsIncomplete) {
  Report report;
  report.info.cases_planned = 433;
  report.info.status = kRunning;
  for (int i = 0; i < 20; ++i)
    report.rows.push_back(row_of("op", "v", DType::f32, "n=" + std::to_string(i), Kind::pass, 0.5));
  const std::string said = "incomplete: 20 of 433 cases";
  for (const Sink& sink : sinks()) {
    const bool holds_rows_alone = sink.file_name == "results.jsonl";  // run.json is beside it
    EXPECT_THAT(sink.render(report), HasSubstr(holds_rows_alone               ? "\"PASS\""
                                               : sink.file_name == "run.json" ? "\"status\": \"running\""
                                                                              : said))
        << sink.file_name;
  }
  EXPECT_THAT(summary_text(report), HasSubstr("INCONCLUSIVE: 20 cases passed, none failed; " + said));
  EXPECT_THAT(github_annotations(report), HasSubstr("::error title=INCOMPLETE::" + said));
  report.info.status = "complete";
  for (const Sink& sink : sinks()) EXPECT_THAT(sink.render(report), testing::Not(HasSubstr("ncomplete: 20")));
}

TEST_F(RunFolderTest, EveryOutputHasTheSameVerdict) {
  Report report;
  report.info.status = "complete";
  const std::map<Kind, std::string> verdicts = {
      {Kind::pass, "PASSED"}, {Kind::mismatch, "FAILED"}, {Kind::skipped, "INCONCLUSIVE"}};
  for (const auto& [kind, verdict] : verdicts) {
    report.rows = {row_of("op", "v", DType::f32, "n=1", kind, 0.5)};
    ASSERT_EQ(name(summarise(report).outcome), verdict);
    EXPECT_THAT(summary_text(report), HasSubstr(verdict + ": "));
    EXPECT_EQ(github_annotations(report).empty(), kind == Kind::pass) << verdict;
    for (const Sink& sink : sinks()) {
      const std::string text = sink.render(report);
      if (sink.file_name == "junit.xml") {
        EXPECT_EQ(text.find("failures=\"0\" errors=\"0\"") != std::string::npos, kind == Kind::pass) << text;
      } else if (sink.file_name == "run.json" || sink.file_name == "report.html") {
        EXPECT_THAT(text, HasSubstr('"' + verdict + '"')) << sink.file_name;
      }
    }
  }
}

TEST_F(RunFolderTest, ASecondRunTakesAnother) {
  auto first = RunFolder::open(directory_, {});
  auto second = RunFolder::open(directory_, {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->path(), directory_);
  EXPECT_EQ(second->path(), directory_ + "-2");
  EXPECT_EQ(RunFolder::open(directory_, {})->path(), directory_ + "-3");
  first = RunFolder::open(directory_ + "-3", {});  // gives the other one back
  EXPECT_EQ(RunFolder::open(directory_, {})->path(), directory_);
}

TEST_F(RunFolderTest, WhatIsInTheWayIsAnError) {
  fs::create_directories(directory_ + "/report.html/inside");
  const auto folder = RunFolder::open(directory_, {});
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().line(), HasSubstr("a directory lies where the file goes"));
  const auto long_name = RunFolder::open(directory_ + "/" + std::string(300, 'a'), {});
  ASSERT_FALSE(long_name);
  EXPECT_THAT(long_name.error().line(), HasSubstr("File name too long; choose a shorter name"));
}

}  // namespace
}  // namespace assay
