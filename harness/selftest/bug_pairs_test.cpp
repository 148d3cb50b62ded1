// Each bug is one entry of the report: one that shows in many ways is one, and two in one kernel are two.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::read_text;
using selftest::Scratch;
using testing::ElementsAre;

// The verdicts of run.json's bugs for a file of pairs/ and what `options` make of it.
std::vector<std::string> bugs(const std::string& file, const std::string& options) {
  const Scratch scratch;
  const std::string path = ASSAY_SOURCE_DIR "/harness/selftest/pairs/" + file;
  const auto check = selftest::run("assay", fmt::format("check {} {} {} --cases 150 --no-save --out {}/out", path,
                                                        options, selftest::small_suite(scratch), scratch.path));
  std::vector<std::string> verdicts;
  const auto run = nlohmann::json::parse(read_text(scratch.path + "/out/run.json"), nullptr, false);
  if (run.is_discarded()) return {check.out + check.err};
  for (const auto& bug : run.value("bugs", nlohmann::json::array())) {
    const std::string verdict = bug.at("verdict");
    if (verdict == "MISTRUSTED") continue;  // too little passes
    verdicts.push_back(verdict);
    EXPECT_THAT(check.out, testing::HasSubstr("\n" + verdict + "  " + bug.at("case").get<std::string>() + "\n"));
    EXPECT_THAT(read_text(scratch.path + "/out/junit.xml"), testing::HasSubstr(bug.at("case").get<std::string>()));
  }
  return verdicts;
}

TEST(BugPairs, OneBugIsOneEntry) {
  EXPECT_THAT(bugs("softmax.cu", ""), ElementsAre());
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL"), ElementsAre("MISMATCH"));
  EXPECT_THAT(bugs("softmax.cu", "-D LATE_READ"), ElementsAre("RACE"));
}

TEST(BugPairs, TwoBugsAreTwoEntries) {
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL -D NANS"), ElementsAre("MISMATCH", "NONFINITE"));
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL -D LATE_READ"), ElementsAre("RACE", "MISMATCH"));
  EXPECT_THAT(bugs("softmax.cu", "-D NANS -D LATE_READ"), ElementsAre("RACE", "NONFINITE"));
}

TEST(BugPairs, ARaceInEveryCaseDoesNotTakeOtherBugsForItsOwn) {
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL -D LAST_THREAD"), ElementsAre("RACE", "MISMATCH"));
}

TEST(BugPairs, AWrongShuffleOfALayerNormIsOneEntry) {
  EXPECT_THAT(bugs("layer_norm.cu", "-D STEPS=5 -D WIDTH=32"), ElementsAre());
  EXPECT_THAT(bugs("layer_norm.cu", "-D STEPS=4 -D WIDTH=32"), ElementsAre("MISMATCH"));
  EXPECT_THAT(bugs("layer_norm.cu", "-D STEPS=5 -D WIDTH=16"), ElementsAre("MISMATCH"));
}

}  // namespace
}  // namespace assay
