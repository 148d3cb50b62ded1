// The table of outcomes: names, failures, and which finding decides.
#include "harness/base/verdict.h"

#include <gmock/gmock.h>

#include <set>

namespace assay {
namespace {

constexpr int kKinds = static_cast<int>(Kind::skipped) + 1;

TEST(Verdict, EveryKindHasOneNameThatParsesBack) {
  std::set<std::string_view> seen;
  for (int i = 0; i < kKinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_FALSE(name(kind).empty());
    EXPECT_TRUE(seen.insert(name(kind)).second) << name(kind);
    EXPECT_EQ(kind_from(name(kind)), kind);
  }
  EXPECT_EQ(kind_from("pass"), std::nullopt) << "names are upper case";
  EXPECT_EQ(kind_from(""), std::nullopt);
}

TEST(Verdict, OnlyPassAndTheThreeReasonsNotToRunAreNoFailures) {
  const std::set<Kind> harmless{Kind::pass, Kind::rejected, Kind::unsupported, Kind::skipped};
  for (int i = 0; i < kKinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_EQ(is_failure(kind), harmless.count(kind) == 0) << name(kind);
  }
}

TEST(Verdict, NoFindingsPass) {
  const Verdict verdict = Verdict::worst({});
  EXPECT_EQ(verdict.kind, Kind::pass);
  EXPECT_EQ(verdict.detail, "");
}

TEST(Verdict, TheWorstKindDecidesAndKeepsAllItsDetails) {
  const Verdict verdict =
      Verdict::worst({{Kind::mismatch, "y[3]"}, {Kind::race, "shared[0]"}, {Kind::race, "shared[1]"}});
  EXPECT_EQ(verdict.kind, Kind::race);
  EXPECT_EQ(verdict.detail, "shared[0]; shared[1]");
}

TEST(Verdict, AFailureIsNeverHiddenByAReasonNotToRun) {
  for (const Kind harmless : {Kind::rejected, Kind::unsupported, Kind::skipped}) {
    EXPECT_EQ(Verdict::worst({{Kind::mismatch, "wrong"}, {harmless, "why"}}).kind, Kind::mismatch) << name(harmless);
    EXPECT_EQ(Verdict::worst({{harmless, "why"}}).kind, harmless);
  }
}

TEST(Verdict, FindingsAppendInOrder) {
  Findings all{{Kind::race, "a"}};
  all += {{Kind::mismatch, "b"}, {Kind::crash, "c"}};
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].detail, "b");
  EXPECT_EQ(all[2].detail, "c");
}

}  // namespace
}  // namespace assay
