// Each bug is one entry of the report: one that shows in many ways is one, and two in one kernel are two.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::read_text;
using selftest::Scratch;
using testing::ElementsAre;

class BugPairs : public selftest::OneInFour<> {};
class Newcomers : public selftest::OneInFour<> {};

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

TEST_F(BugPairs, OneBugIsOneEntry) {
  EXPECT_THAT(bugs("softmax.cu", ""), ElementsAre());
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL"), ElementsAre("MISMATCH"));
  EXPECT_THAT(bugs("softmax.cu", "-D LATE_READ"), ElementsAre("RACE"));
}

TEST_F(BugPairs, TwoBugsAreTwoEntries) {
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL -D NANS"), ElementsAre("MISMATCH", "NONFINITE"));
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL -D LATE_READ"), ElementsAre("RACE", "MISMATCH"));
  EXPECT_THAT(bugs("softmax.cu", "-D NANS -D LATE_READ"), ElementsAre("RACE", "NONFINITE"));
}

TEST_F(BugPairs, ARaceInEveryCaseDoesNotTakeOtherBugsForItsOwn) {
  EXPECT_THAT(bugs("softmax.cu", "-D TAIL -D LAST_THREAD"), ElementsAre("RACE", "MISMATCH"));
}

TEST_F(BugPairs, AWrongShuffleOfALayerNormIsOneEntry) {
  EXPECT_THAT(bugs("layer_norm.cu", "-D STEPS=5 -D WIDTH=32"), ElementsAre());
  EXPECT_THAT(bugs("layer_norm.cu", "-D STEPS=4 -D WIDTH=32"), ElementsAre("MISMATCH"));
  EXPECT_THAT(bugs("layer_norm.cu", "-D STEPS=5 -D WIDTH=16"), ElementsAre("MISMATCH"));
}

// Four kernels of people who see Assay for the first time: what is right passes, and one bug is one entry.
TEST_F(Newcomers, AnOpOfTheirOwnByFourFloatsAtATime) {
  const std::string ops = "--ops " ASSAY_SOURCE_DIR "/harness/selftest/pairs/ops ";
  EXPECT_THAT(bugs("bias_gelu.cu", ops), ElementsAre());
  EXPECT_THAT(bugs("bias_gelu.cu", ops + "-D WRONG"), ElementsAre("MISMATCH"));
}

TEST_F(Newcomers, AttentionWithItsMain) {
  const std::string fixed = "--op attention_forward --fix causal=1 --fix Sk=Sq --fix HK=H --fix layout=head_major ";
  EXPECT_THAT(bugs("attention.cu", fixed), ElementsAre());
  EXPECT_THAT(bugs("attention.cu", fixed + "-D NO_BARRIER"), ElementsAre("RACE"));
  const Scratch scratch;
  const std::string file = ASSAY_SOURCE_DIR "/harness/selftest/pairs/attention.cu", out = scratch.path + "/out";
  const auto tried =
      selftest::run("assay", "check " + file + " --op attention_forward --cases 20 --no-save --out " + out);
  EXPECT_EQ(tried.exit_code, 0) << tried.out << tried.err;
  for (const char* as_fixed : {"causal is 1", "layout is head_major", "Sk is Sq", "HK is H"})
    EXPECT_THAT(tried.out, testing::HasSubstr(as_fixed));
}

TEST_F(Newcomers, AnIndexAsAnOpOfTheirOwn) {
  const Scratch scratch;
  const std::string ops = "--op argmax --ops " + scratch.path + "/ops ";
  ASSERT_EQ(selftest::run("assay", "new-op argmax --like index --dir " + scratch.path + "/ops").exit_code, 0);
  EXPECT_THAT(bugs("argmax.cu", ops), ElementsAre());
  EXPECT_THAT(bugs("argmax.cu", ops + "-D LAST"), ElementsAre("MISMATCH"));
}

}  // namespace
}  // namespace assay
