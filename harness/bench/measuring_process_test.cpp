// What becomes of a case whose measuring process dies or hangs: rows that came stay, the others report what happened.
// The process itself is tested end to end (harness/cli/bench_test.cpp).
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
    std::ofstream(path) << "#!/bin/sh\necho '" << answer.dump() << "'\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.program = path, .limit = std::chrono::duration<double>(limit_s)};
  }
  std::vector<ResultRow> measure(const MeasuringOptions& how) {
    std::vector<ResultRow> rows;
    for (MeasuredRow& measured : measure_case_in_process(case_, candidates_, {}, {}, how))
      rows.push_back(std::move(measured.row));
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

// Neither has a row: the one that ran is the one to blame.
TEST_F(MeasuringProcess, TheOneThatRanIsBlamed) {
  const MeasuringOptions how = program("", 20);
  std::ofstream(how.program) << "#!/bin/sh\necho '{\"runs\": \"block_per_row\"}'\n"
                                "echo '{\"runs\": \"warp_per_row\"}'\nkill -ABRT $$\n";
  const auto rows = measure_case_in_process(case_, candidates_, {}, {}, how);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].row.verdict, Kind::skipped);
  EXPECT_THAT(rows[0].row.detail, HasSubstr("the process ended while softmax_forward/warp_per_row was measured"));
  EXPECT_TRUE(rows[0].again);
  EXPECT_EQ(rows[1].row.verdict, Kind::crash);
  EXPECT_FALSE(rows[1].again);
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
