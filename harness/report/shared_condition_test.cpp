// Conditions that were planted are found as they would be written, and what fails by chance has none.
#include "harness/report/shared_condition.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "harness/base/rng.h"
#include "harness/report/console.h"
#include "harness/report/github.h"
#include "harness/report/page_data.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using Fails = std::function<bool(const Case&)>;

// Cases as a sweep has them: sizes of every magnitude, some attributes, dtypes, kinds of data, offsets.
std::vector<Case> sweep(uint64_t seed, int count = 300) {
  Rng rng(seed);
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::string(*(words.begin() + static_cast<std::ptrdiff_t>(rng.below(words.size()))));
  };
  const auto size = [&] { return 1 + rng.below(uint64_t{2} << rng.below(11)); };
  std::vector<Case> cases;
  for (int i = 0; i < count; ++i)
    cases.push_back(*parse_case(
        fmt::format("op/v {} rows={} cols={} causal={} eps={} layout={} fill={} seed={} block={}{} schedule=0",
                    one_of({"f32", "bf16", "f16"}), size(), size(), one_of({"0", "1"}), one_of({"1e-5", "1e-3"}),
                    one_of({"token_major", "head_major"}), one_of({"normal", "integers", "nan", "largest"}), i,
                    one_of({"32", "64", "96", "100", "128", "256"}), one_of({"", "", " offset=1", " offset=x:3"}))));
  return cases;
}

std::optional<SharedCondition> of(const std::vector<Case>& cases, const Fails& fails) {
  std::vector<Case> failing, passing;
  for (const Case& c : cases) (fails(c) ? failing : passing).push_back(c);
  return shared_condition(failing, passing);
}

// "cols % 4 != 0 => requires = ["cols % 4 == 0"]"; "" where nothing is found.
std::string text(const Fails& fails, int count = 300) {
  const auto found = of(sweep(1, count), fails);
  if (!found) return "";
  EXPECT_EQ(found->failing + found->passing, count);
  return found->holds + " => " + found->adapter;
}

bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

TEST(SharedCondition, FindsOneComparison) {
  EXPECT_EQ(text([](const Case& c) { return c.dim("cols") % 4 != 0; }),
            R"(cols % 4 != 0 => requires = ["cols % 4 == 0"])");
  EXPECT_EQ(text([](const Case& c) { return !is_power_of_two(*c.block); }),
            R"((block & (block - 1)) != 0 => requires = ["(block & (block - 1)) == 0"])");
  EXPECT_EQ(text([](const Case& c) { return c.dim("cols") > 256; }), R"(cols > 256 => requires = ["cols <= 256"])");
  EXPECT_EQ(text([](const Case& c) { return c.dim("rows") < c.dim("cols"); }),
            R"(cols > rows => requires = ["cols <= rows"])");
  EXPECT_EQ(text([](const Case& c) { return c.dim("cols") > *c.block; }),
            R"(cols > block => requires = ["cols <= block"])");
  EXPECT_EQ(text([](const Case& c) { return c.text("causal") == "1"; }),
            R"(causal == 1 => requires = ["causal == 0"])");
  EXPECT_EQ(text([](const Case& c) { return c.text("eps") == "1e-3"; }),
            R"(eps == 1e-3 => requires = ["eps == 1e-5"])");
}

TEST(SharedCondition, QuotesWordsSoThatAnAdapterTakesThem) {
  EXPECT_EQ(text([](const Case& c) { return c.fill == "nan"; }), R"(fill == "nan" => requires = ['fill != "nan"'])");
  EXPECT_EQ(text([](const Case& c) { return c.dtype == DType::f16; }),
            R"(dtype == "f16" => requires = ['dtype != "f16"'])");
  EXPECT_EQ(text([](const Case& c) { return c.text("layout") == "head_major"; }),
            R"(layout == "head_major" => requires = ['layout == "token_major"'])");
  EXPECT_EQ(text([](const Case& c) { return c.offset.has_value(); }), "offset != 0 => aligned = 16");
}

TEST(SharedCondition, JoinsTwoWhereOneIsNotEnough) {
  EXPECT_EQ(text([](const Case& c) { return c.text("causal") == "1" && c.dtype == DType::f16; }),
            R"(causal == 1 && dtype == "f16" => requires = ['causal == 0 || dtype != "f16"'])");
  EXPECT_EQ(text([](const Case& c) { return c.dim("cols") % 2 != 0 || c.fill == "nan"; }),
            R"(fill == "nan" || cols % 2 != 0 => requires = ['fill != "nan"', "cols % 2 == 0"])");
}

TEST(SharedCondition, MayHoldInAFewCasesThatPass) {
  const auto found = of(sweep(1), [](const Case& c) { return c.dim("cols") % 4 != 0 && c.dim("cols") > 1; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->holds, "cols % 4 != 0");
  EXPECT_GT(found->met_also, 0);
  EXPECT_LE(3 * found->met_also, found->failing);
}

TEST(SharedCondition, IsNotFoundWhereCasesAreFew) {
  const Fails odd = [](const Case& c) { return c.dim("cols") % 4 != 0; };
  EXPECT_NE(text(odd, 60), "");
  EXPECT_EQ(text(odd, 12), "");
  EXPECT_FALSE(shared_condition(sweep(1), {}));
  std::vector<Case> again;
  for (int i = 0; i < 6; ++i)
    for (const Case& c : sweep(1, 12)) again.push_back(c);
  EXPECT_FALSE(of(again, odd)) << "the same cases again tell nothing new";
}

RC_GTEST_PROP(SharedCondition, is_not_found_where_failures_are_chance, (uint64_t seed)) {
  Rng rng(seed);
  const uint64_t share = 2 + rng.below(20);
  RC_ASSERT(!of(sweep(seed), [&](const Case&) { return rng.below(share) == 0; }));
}

RC_GTEST_PROP(SharedCondition, holds_in_every_failing_case, (uint64_t seed)) {
  const int64_t k = int64_t{1} << *rc::gen::inRange(1, 4), limit = *rc::gen::inRange(1, 300);
  const std::vector<Fails> planted = {[&](const Case& c) { return c.dim("cols") % k != 0; },
                                      [&](const Case& c) { return c.dim("rows") > limit; },
                                      [&](const Case& c) { return c.dim("rows") % k != 0 && c.dtype == DType::bf16; }};
  const auto cases = sweep(seed);
  const Fails& fails = planted[*rc::gen::inRange<size_t>(0, planted.size())];
  const auto found = of(cases, fails);
  RC_ASSERT(found);
  RC_ASSERT(found->failing == std::count_if(cases.begin(), cases.end(), fails));
  RC_ASSERT(static_cast<double>(found->failing) >=
            kFailingShareMin * static_cast<double>(found->failing + found->met_also));
}

ResultRow run(const Case& c, const std::string& device, bool fails) {
  ResultRow row = row_for(c, device, fails ? Kind::mismatch : Kind::pass, fails ? "y: wrong" : "");
  row.figures["size"] = 1;
  row.origin.source = "my_kernels.cu";
  return row;
}

TEST(WhatTheyShare, CountsPassesThatCouldHaveFailed) {
  std::vector<ResultRow> rows;
  for (const Case& c : sweep(1)) {
    const bool hidden = c.fill == "nan" || c.fill == "largest";
    rows.push_back(run(c, "cpu", c.dim("cols") % 4 != 0 && !hidden));
    if (c.dim("rows") < 3) rows.back().figures["size"] = 0, rows.back().decide(Kind::pass, "");
    rows.push_back(run(c, "gpu", false));
  }
  std::vector<const ResultRow*> failing;
  for (const ResultRow& row : rows)
    if (is_failure(row.verdict)) failing.push_back(&row);
  EXPECT_THAT(
      what_they_share(failing, rows),
      testing::MatchesRegex("all [0-9]+ cases that fail so have cols % 4 != 0, none of the [0-9]+ with elements "
                            "that pass with ordinary data has; if that is meant: requires = ..cols % 4 == 0.."));
  for (ResultRow& row : rows) row.origin.source = "";  // a variant of the project has no adapter
  EXPECT_THAT(what_they_share(failing, rows), testing::EndsWith("with ordinary data has"));
}

// Most kinds of data are not ordinary, and few cases are small.
TEST(WhatTheyShare, CountsAllPassesWhereFewHaveOrdinaryData) {
  std::vector<ResultRow> rows;
  for (const Case& c : sweep(1))
    if (c.dim("cols") > 8 || !has_ordinary_data(c)) rows.push_back(run(c, "cpu", c.dim("cols") > 8));
  std::vector<const ResultRow*> failing;
  for (const ResultRow& row : rows)
    if (is_failure(row.verdict)) failing.push_back(&row);
  EXPECT_THAT(
      what_they_share(failing, rows),
      testing::MatchesRegex("all [0-9]+ cases that fail so have cols > 8, none of the [0-9]+ that pass has; .*"));
}

TEST(WhatTheyShare, IsInEveryOutput) {
  const Report report = odd_sizes();
  const auto rendered = [&](const std::string& file) {
    const auto is_it = [&](const Sink& sink) { return sink.file_name == file; };
    return std::find_if(sinks().begin(), sinks().end(), is_it)->render(report);
  };
  const auto says = testing::HasSubstr("all 200 cases that fail so have cols % 2 != 0, none of the ");
  EXPECT_THAT(summary_text(report), says);
  EXPECT_THAT(rendered("run.json"), says);
  EXPECT_THAT(rendered("junit.xml"),
              testing::HasSubstr("got 1, want 2 ± 0.1; all 200 cases that fail so have cols % 2"));
  EXPECT_THAT(page_data(report)["failures"][0]["shared"].get<std::string>(), says);
  EXPECT_THAT(github_annotations(report),
              testing::HasSubstr("%0Aall 200 cases that fail so have cols %25 2 != 0, none"));
}

}  // namespace
}  // namespace assay
