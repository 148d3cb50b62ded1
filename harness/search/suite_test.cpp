// Suites: what a right file gives, and that every wrong one names its line and a hint.
#include "harness/search/suite.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/op/registry.h"
#include "harness/search/generate.h"

#include "harness/selftest/run_program.h"

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
  selftest::Scratch scratch_;
  std::string path_ = scratch_.path + "/some_suite.toml";
};

TEST_F(SuiteFile, HoldsCountsPinnedLinesAndExceptions) {
  const std::string op = all_ops().front().name;
  const auto suite = read("about = \"x\"\nselect = [\"a*\"]\ncases = 7\nchecked = 2\npinned = [\"l\"]\n[op." + op +
                          "]\nelements_max = 5\ncase_limit_s = 600\n");
  ASSERT_TRUE(suite.has_value()) << suite.error().line();
  EXPECT_EQ(suite->name, "some_suite");
  EXPECT_EQ(suite->counts.cases, 7);
  EXPECT_EQ(suite->counts_of(op).cases, 7);
  EXPECT_EQ(suite->counts_of(op).checked, 2);
  EXPECT_TRUE(suite->has_checked());
  EXPECT_EQ(suite->counts_of(op).elements_max, 5);
  EXPECT_EQ(suite->counts_of("another").elements_max, SuiteCounts{}.elements_max);
  EXPECT_THAT(suite->pinned, testing::ElementsAre("l"));
  EXPECT_THAT(suite->case_limit_s_of, testing::ElementsAre(testing::Pair(op, 600)));
}

TEST_F(SuiteFile, WrongOnesNameTheLine) {
  EXPECT_THAT(
      error("about = \"x\"\ncasse = 7\n"),
      testing::AllOf(testing::HasSubstr("some_suite.toml:2: unknown key 'casse'"), testing::HasSubstr("'cases'")));
  EXPECT_THAT(error("\n\ncases = \"many\"\n"), testing::HasSubstr("some_suite.toml:3: 'cases' must be a whole number"));
  EXPECT_THAT(error("huge = 1\n"), testing::HasSubstr(":1: 'huge' must be true or false"));
  EXPECT_TRUE(read("huge = true\n")->huge);
  EXPECT_THAT(error("cases = -1\n"), testing::HasSubstr(":1: 'cases' must be"));
  for (const std::string key : {"cases", "checked"})
    EXPECT_THAT(error(key + " = 1000000001\n"), testing::HasSubstr("from 0 to 1000000000"));
  EXPECT_THAT(error("select = \"x\"\n"), testing::HasSubstr(":1: expected a list"));
  EXPECT_THAT(error("case_limit_s = 0\n"), testing::HasSubstr(":1: 'case_limit_s'"));
  EXPECT_THAT(error("[op." + all_ops().front().name + "]\ncase_limit_s = 0\n"),
              testing::HasSubstr(":2: 'case_limit_s' must be a number above 0"));
  EXPECT_THAT(error("[op.no_such]\n"), testing::HasSubstr(":1: unknown key 'no_such'"));
  EXPECT_THAT(error("cases = \n"), testing::HasSubstr("some_suite.toml:1: "));
}

// A line of the first op that its contract admits, with `*` for the variant.
std::string bench_line() {
  const Contract& op = all_ops().front();
  const Variant& variant = *variants().front();
  Case c = generate_case(op, variant, variant.dtypes.front(), 1, 0, {1000});
  c.variant = kEveryVariant;
  c.block.reset();
  return print(c);
}

std::string bench_table(const std::string& line) {
  return "about = \"x\"\n\n[[bench]]\nline = \"" + line + "\"\nfrom = \"a model\"\n";
}

TEST_F(SuiteFile, HoldsBenchLinesWithTheirOrigin) {
  const auto suite =
      read(bench_table(bench_line()) + "[[bench]]\nfrom = \"another\"\nline = \"" + bench_line() + "\"\n");
  ASSERT_TRUE(suite.has_value()) << suite.error().line();
  ASSERT_EQ(suite->bench.size(), 2u);
  EXPECT_EQ(print(suite->bench[0].c), bench_line());
  EXPECT_EQ(suite->bench[0].from, "a model");
  EXPECT_EQ(suite->bench[1].from, "another");
}

TEST_F(SuiteFile, WrongBenchLinesNameTheLine) {
  const Contract& op = all_ops().front();
  EXPECT_THAT(error(bench_table(bench_line() + " colz=3")),
              testing::AllOf(testing::HasSubstr("some_suite.toml:4: case line, column"), testing::HasSubstr("colz")));
  EXPECT_THAT(error(bench_table("no_such/* f32 a=1")), testing::HasSubstr("some_suite.toml:4: case line, column 1"));
  EXPECT_THAT(error(bench_table(op.name + "/* f32 fill=normal")),
              testing::AllOf(testing::HasSubstr(":4: "), testing::HasSubstr("is missing")));
  EXPECT_THAT(error(bench_table(bench_line() + " block=64")), testing::HasSubstr(":4: block= with every variant"));
  EXPECT_THAT(error("[[bench]]\nline = \"" + bench_line() + "\"\n"),
              testing::HasSubstr(":1: a bench without its origin"));
  EXPECT_THAT(error("\n[[bench]]\nfrom = \"x\"\n"), testing::HasSubstr(":2: a bench without a line"));
  EXPECT_THAT(error(bench_table(bench_line()) + "lines = 3\n"), testing::HasSubstr(":6: unknown key 'lines'"));
  EXPECT_THAT(error("bench = 3\n"), testing::HasSubstr(":1: 'bench' must be a list of tables"));
}

TEST_F(SuiteFile, ABenchLineKeepsItsContractsConstraint) {
  const std::string line =
      "attention_forward/* f32 B=1 Sq=2 Sk=2 H=3 HK=2 D=8 causal=0 scale=auto layout=token_major fill=normal seed=1";
  EXPECT_THAT(error(bench_table(line)), testing::HasSubstr("some_suite.toml:4: case line: H=3 is no multiple of HK=2"));
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
