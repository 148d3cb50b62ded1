// Tests a case whose measuring process dies or hangs: rows that came stay, the others report what happened. The process
// itself is tested end to end (harness/cli/bench_test.cpp).
#include "harness/bench/measuring_process.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/op/registry.h"
#include "harness/result/row_json.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class MeasuringProcess : public testing::Test {
 protected:
  // A program that answers with the first candidate's row, tells of what it does next, and then does what `script`
  // says.
  MeasuringOptions program(const std::string& script, double limit_s) {
    const std::string path = scratch_.path + "/program";
    ResultRow row = row_for(case_for(case_, *candidates_[0]), "gpu");
    row.timing.emplace().gpu = "a GPU";
    const nlohmann::json answer = {{"row", to_json(row)}, {"written", 7}, {"again", false}};
    std::ofstream(path) << "#!/bin/sh\necho '{\"begins\": 0}'\necho '" << answer.dump() << "'\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.program = path, .limit = std::chrono::duration<double>(limit_s)};
  }
  std::vector<ResultRow> measure(const MeasuringOptions& how) {
    std::vector<ResultRow> rows;
    for (auto& of_contest : measure_in_process({{case_, candidates_}}, {}, {}, how))
      for (MeasuredRow& measured : of_contest) rows.push_back(std::move(measured.row));
    return rows;
  }

  const selftest::Scratch scratch_;
  const Case case_ = *read_case("softmax_forward/* f32 rows=3 cols=5 fill=normal seed=1");
  const std::vector<const Variant*> candidates_ = {find_variant("softmax_forward", "block_per_row", "cpu"),
                                                   find_variant("softmax_forward", "warp_per_row", "cpu")};
};

TEST_F(MeasuringProcess, ACrashCostsTheRowsThatHadNotCome) {
  const auto rows = measure(program("echo the reason >&2; kill -ABRT $$", 20));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].verdict, Kind::pass);
  EXPECT_EQ(rows[0].timing->gpu, "a GPU");
  EXPECT_EQ(rows[1].c.variant, "warp_per_row");
  EXPECT_EQ(rows[1].verdict, Kind::crash);
  EXPECT_THAT(rows[1].detail, testing::AllOf(HasSubstr("while it was measured"), HasSubstr("the reason")));
}

TEST_F(MeasuringProcess, AHangIsATimeout) {
  const auto rows = measure(program("exec sleep 60", 0.3));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].verdict, Kind::pass);
  EXPECT_EQ(rows[1].verdict, Kind::timeout);
}

// Neither candidate has a row: the one that ran is the one to blame.
TEST_F(MeasuringProcess, TheOneThatRanIsBlamed) {
  const MeasuringOptions how = program("", 20);
  std::ofstream(how.program) << "#!/bin/sh\necho '{\"runs\": \"block_per_row\"}'\n"
                                "echo '{\"runs\": \"warp_per_row\"}'\nkill -ABRT $$\n";
  const auto rows = measure_in_process({{case_, candidates_}}, {}, {}, how).at(0);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].row.verdict, Kind::skipped);
  EXPECT_THAT(rows[0].row.detail, HasSubstr("the process ended while softmax_forward/warp_per_row was measured"));
  EXPECT_TRUE(rows[0].again);
  EXPECT_EQ(rows[1].row.verdict, Kind::crash);
  EXPECT_FALSE(rows[1].again);
}

// The first contest is done, the second fails under one candidate, the third has not begun.
TEST_F(MeasuringProcess, OtherContestsAreNotToBlame) {
  const MeasuringOptions how = program("", 20);
  std::ofstream script(how.program, std::ios::app);
  for (const char* answer : {R"({"begins": 1})", R"({"runs": "warp_per_row"})"}) script << "echo '" << answer << "'\n";
  script << "kill -ABRT $$\n";
  script.close();
  const std::vector<const Variant*> first = {candidates_[0]};
  const auto rows = measure_in_process({{case_, first}, {case_, candidates_}, {case_, candidates_}}, {}, {}, how);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at(0).row.verdict, Kind::pass);
  EXPECT_TRUE(rows[1].at(0).again);
  EXPECT_EQ(rows[1].at(1).row.verdict, Kind::crash);
  for (const MeasuredRow& later : rows[2]) {
    EXPECT_TRUE(later.again);
    EXPECT_EQ(later.row.verdict, Kind::skipped);
  }
}

// Each contest has the whole limit: three that take 0.2 s each are no hang.
TEST_F(MeasuringProcess, TheLimitIsThatOfEachContest) {
  const MeasuringOptions how = program("", 0.5);
  std::string script, row = selftest::read_text(how.program);
  row = row.substr(row.find("echo '{\"again\""));
  for (int k = 0; k < 3; ++k) script += "echo '{\"begins\": " + std::to_string(k) + "}'\nsleep 0.3\n" + row;
  std::ofstream(how.program) << "#!/bin/sh\n" << script;
  const Contest contest{case_, {candidates_[0]}};
  for (const auto& rows : measure_in_process({contest, contest, contest}, {}, {}, how))
    EXPECT_EQ(rows.at(0).row.verdict, Kind::pass) << rows.at(0).row.detail;
}

// A plan has a limit of its own, and a library that does not end it is no failure of the kernel. Runs after the plan
// have the case's limit again.
TEST_F(MeasuringProcess, APlanThatDoesNotEndIsSkipped) {
  MeasuringOptions how = program("", 20);
  how.plan_limit = std::chrono::duration<double>(0.3);
  const auto script = [&](const std::string& then) {
    std::ofstream(how.program) << "#!/bin/sh\necho '{\"begins\": 0}'\necho '{\"runs\": \"block_per_row\"}'\n"
                                  "echo '{\"plans\": \"block_per_row\"}'\n"
                               << then;
    return measure_in_process({{case_, candidates_}}, {}, {}, how).at(0);
  };
  const auto hangs = script("exec sleep 60\n");
  EXPECT_EQ(hangs.at(0).row.verdict, Kind::skipped);
  EXPECT_THAT(hangs.at(0).row.detail, HasSubstr("its library made no plan for this shape in 0.3 s"));
  EXPECT_FALSE(hangs.at(0).again);
  EXPECT_TRUE(hangs.at(1).again);
  const auto planned = script("echo '{\"planned\": \"block_per_row\"}'\nsleep 0.6\nkill -ABRT $$\n");
  EXPECT_EQ(planned.at(0).row.verdict, Kind::crash) << "not the plan's limit: " << planned.at(0).row.detail;
}

TEST_F(MeasuringProcess, AnEndWithoutAnAnswerIsACrash) {
  EXPECT_EQ(measure(program("exit 0", 20))[1].verdict, Kind::crash);
  EXPECT_THAT(measure_roofs_in_process({}, {.program = "/bin/false"}).error().line(), HasSubstr("status 1"));
}

TEST_F(MeasuringProcess, CtrlCLeavesNoRows) {
  const std::atomic<bool> stop{true};
  MeasuringOptions how = program("exec sleep 60", 100);
  how.stop = &stop;
  EXPECT_TRUE(measure(how).empty());
}

}  // namespace
}  // namespace assay
