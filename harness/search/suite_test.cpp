// Suites: what a right file gives, and that every wrong one names its line and the mend.
#include "harness/search/suite.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/op/registry.h"

namespace assay {
namespace {

class SuiteFile : public testing::Test {
 protected:
  Result<Suite> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_suite(path_);
  }
  std::string error(const std::string& text) {
    const auto suite = read(text);
    return suite ? "no error" : suite.error().line();
  }
  std::string path_ = testing::TempDir() + "/some_suite.toml";
};

TEST_F(SuiteFile, HoldsCountsPinnedLinesAndExceptions) {
  const std::string op = all_ops().front().name;
  const auto suite = read("about = \"x\"\nselect = [\"a*\"]\ncases = 7\nchecked = 2\npinned = [\"l\"]\n[op." + op +
                          "]\nelements_max = 5\n");
  ASSERT_TRUE(suite.has_value()) << suite.error().line();
  EXPECT_EQ(suite->name, "some_suite");
  EXPECT_EQ(suite->counts.cases, 7);
  EXPECT_EQ(suite->counts_of(op).cases, 7);
  EXPECT_EQ(suite->counts_of(op).checked, 2);
  EXPECT_TRUE(suite->has_checked());
  EXPECT_EQ(suite->counts_of(op).elements_max, 5);
  EXPECT_EQ(suite->counts_of("another").elements_max, SuiteCounts{}.elements_max);
  EXPECT_THAT(suite->pinned, testing::ElementsAre("l"));
}

TEST_F(SuiteFile, WrongOnesNameTheLine) {
  EXPECT_THAT(
      error("about = \"x\"\ncasse = 7\n"),
      testing::AllOf(testing::HasSubstr("some_suite.toml:2: unknown key 'casse'"), testing::HasSubstr("'cases'")));
  EXPECT_THAT(error("\n\ncases = \"many\"\n"), testing::HasSubstr("some_suite.toml:3: 'cases' must be a whole number"));
  EXPECT_THAT(error("cases = -1\n"), testing::HasSubstr(":1: 'cases' must be"));
  EXPECT_THAT(error("select = \"x\"\n"), testing::HasSubstr(":1: expected a list"));
  EXPECT_THAT(error("case_limit_s = 0\n"), testing::HasSubstr(":1: 'case_limit_s'"));
  EXPECT_THAT(error("[op.no_such]\n"), testing::HasSubstr(":1: unknown key 'no_such'"));
  EXPECT_THAT(error("cases = \n"), testing::HasSubstr("some_suite.toml:1: "));
}

TEST(Suites, OfTheRepositoryAreRight) {
  const auto paths = suite_paths();
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    const auto suite = read_suite(path);
    EXPECT_TRUE(suite.has_value()) << (suite ? "" : suite.error().line());
    EXPECT_FALSE(suite->about.empty()) << path;
  }
  EXPECT_TRUE(find_suite("ci").has_value());
  EXPECT_THAT(find_suite("cj").error().line(), testing::HasSubstr("did you mean 'ci'"));
}

}  // namespace
}  // namespace assay
