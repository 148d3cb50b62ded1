// Every op's data reach both sides of where formulas differ, or its contract says why not; and who asks would notice.
#include "harness/search/range_survey.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "harness/op/registry.h"
#include "harness/selftest/run_program.h"
#include "reference/exponential.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kRangeCases = 60;

// Without those of which nothing is due, and those that other tests register and never run.
std::vector<std::string> names_of_surveyed_ops() {
  std::vector<std::string> names;
  for (const Contract& op : all_ops())
    if (op.steps.empty() && op.reference.tracked) names.push_back(op.name);
  return names;
}

class EveryRange : public testing::TestWithParam<std::string> {};

// The functions of an op that reports/ranges.md has a row for.
std::set<std::string> functions_on_the_page(const std::string& op) {
  static const std::string page = selftest::read_text(ASSAY_SOURCE_DIR "/reports/ranges.md");
  std::set<std::string> functions;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (const std::string begin = "| " + op + " | "; line.starts_with(begin))
      functions.insert(line.substr(begin.size(), line.find(" | ", begin.size()) - begin.size()));
  return functions;
}

std::set<std::string> functions_called(const OpRanges& ranges) {
  std::set<std::string> functions;
  for (const Ranges& each : ranges.by_dtype)
    for (int i = 0; i < kWatched; ++i)
      if (const auto what = static_cast<Watched>(i); each.of(what).was_called()) functions.emplace(meaning(what));
  return functions;
}

// A function that a reference no longer shows would be asked for nothing: the page knows it.
TEST_P(EveryRange, IsReachedOrTheContractSaysWhyNot) {
  if (selftest::left_to_the_night("ranges of " + GetParam())) GTEST_SKIP() << "a push runs one in four of these";
  static const Suite suite = *read_suite(ASSAY_SOURCE_DIR "/cases/ci.toml");
  const Contract& op = *find_op(GetParam());
  const OpRanges ranges = ranges_of(op, suite.counts_of(op.name), 1, kRangeCases);
  EXPECT_THAT(mistakes_of_ranges(ranges), IsEmpty())
      << "change the contract's data, or give it an out_of_reach: `assay sharpness " << op.name << " --ranges`";
  EXPECT_EQ(functions_called(ranges), functions_on_the_page(op.name))
      << "write reports/ranges.md anew, as its first lines say, if the reference is right to call others";
}

INSTANTIATE_TEST_SUITE_P(Ranges, EveryRange, testing::ValuesIn(names_of_surveyed_ops()),
                         [](const auto& one) { return one.param; });

// exp(x - maximum) of one row, of numbers up to `largest`.
Contract op_with_exponentials(double largest) {
  return {.name = "made_up_softmax",
          .summary = "for tests",
          .dims = {{.name = "N", .meaning = "elements"}},
          .tensors = {{.name = "x", .shape = {"N"}, .magnitude = largest},
                      {.name = "y", .role = Role::output, .shape = {"N"}}},
          .dtypes = {DType::f32},
          .exponentials = true,
          .reference = reference_from([](auto& io) {
            const auto& x = io.in("x");
            auto maximum = x[0];
            for (int64_t i = 0; i < io.dim("N"); ++i) maximum = larger(maximum, x[i]);
            const reference::Exponential exponential(maximum, false);
            for (int64_t i = 0; i < io.dim("N"); ++i) io.out("y")[i] = exponential(x[i]);
          })};
}

std::vector<std::string> mistakes_of(const Contract& op) {
  return mistakes_of_ranges(ranges_of(op, SuiteCounts{}, 1, kRangeCases));
}

TEST(RangeSurvey, NamesEachIntervalThatIsMissed) {
  EXPECT_THAT(mistakes_of(op_with_exponentials(1e6)), IsEmpty());
  EXPECT_THAT(mistakes_of(op_with_exponentials(40)),
              ElementsAre(HasSubstr("made_up_softmax f32, exponent (x of exp(x)): no case has 'exp is 0'"),
                          HasSubstr("exponent (x of exp(x)): no case has 'subnormal'"),
                          HasSubstr("maximum (a row's maximum, under its exponents): no case has 'its exp is 0'"),
                          HasSubstr("no case has 'overflows'")));
}

TEST(RangeSurvey, TakesAReasonForWhatIsMissedAndNoOther) {
  Contract small = op_with_exponentials(40);
  small.out_of_reach = {{"exponent", "exp is 0", "for tests"},
                        {"exponent", "subnormal", "for tests"},
                        {"maximum", "its exp is 0", "for tests"},
                        {"maximum", "overflows", "for tests"}};
  EXPECT_THAT(mistakes_of(small), IsEmpty());
  small.out_of_reach.push_back({"exponent", "ordinary", "it is reached"});
  small.out_of_reach.push_back({"exponents", "exp is 0", "no such function"});
  EXPECT_THAT(mistakes_of(small), ElementsAre(HasSubstr("exponent: 'ordinary' is not missed"),
                                              HasSubstr("exponents: 'exp is 0' is not missed")));
}

TEST(RangeSurvey, AsksNothingOfAnOpOfOps) {
  Contract whole = op_with_exponentials(40);
  whole.steps = {{.name = "only", .op = "made_up"}};
  const OpRanges ranges = ranges_of(whole, SuiteCounts{}, 1, 2);
  EXPECT_TRUE(ranges.by_dtype.at(0).of(Watched::exponent).was_called());
  EXPECT_THAT(mistakes_of_ranges(ranges), IsEmpty());
}

}  // namespace
}  // namespace assay
