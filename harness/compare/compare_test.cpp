// Tests what counts as worse, as better, as the same, and as undecided.
#include "harness/compare/compare.h"

#include <gmock/gmock.h>

#include "harness/compare/accuracy.h"
#include "harness/compare/show.h"
#include "harness/compare/test_runs.h"

namespace assay::comparison {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// One row in both runs, with `change` made to it in the second.
template <class Change>
Comparison compare_one(const Subject& subject, Change change) {
  Measured before = test_run(), after = test_run();
  before.subjects["row"] = after.subjects["row"] = subject;
  change(after, after.subjects["row"]);
  return compare(before, after);
}

Subject timed(double ns, size_t n = 30) {
  Measured run;
  Subject& subject = add_subject(run, "rows=3 cols=65");
  set_times(subject, ns, n);
  return subject;
}

Line time_of(double from, double to, size_t n = 30) {
  return line_of(compare_one(timed(from, n), [&](Measured&, Subject& row) { set_times(row, to, n); }), kTime);
}

TEST(Compare, ASlowerRowRegresses) {
  const Line line = time_of(10'000, 11'000);
  EXPECT_EQ(line.change, Change::regressed);
  EXPECT_NEAR(line.ratio, 1.1, 1e-9);
  EXPECT_GT(line.low, 1.05);
  EXPECT_LE(line.p, 0.02);
  EXPECT_EQ(time_of(11'000, 10'000).change, Change::improved);
  EXPECT_EQ(time_of(10'000, 10'000).change, Change::same);
}

TEST(Compare, TheSameCodeIsNeitherSlowerNorFasterNorWorse) {
  Measured before = test_run(), after = test_run();
  for (Measured* run : {&before, &after}) {
    const double factor = run == &after ? 2 : 1;
    Subject& subject = add_subject(*run, "B=1");
    subject.code = "0123456789abcdef";
    subject.error_over_budget = run == &after ? 0.9 : 0.2;
    set_times(subject, 1000 * factor);
    set_exact(subject, "sectors", 8 * factor);
  }
  const Comparison same = compare(before, after);
  EXPECT_EQ(outcome(same), Outcome::same);
  EXPECT_EQ(line_of(same, kTime).why, "the same machine code");
  EXPECT_EQ(line_of(same, "sectors").metric, "no line of sectors");
  EXPECT_THAT(same.notes, testing::Contains(testing::HasSubstr("1 rows have the same machine code")));

  after.subjects.begin()->second.failure = "MISMATCH: y";
  EXPECT_EQ(outcome(compare(before, after)), Outcome::regressed) << "a verdict always counts";
  after.subjects.begin()->second.failure = "";
  after.subjects.begin()->second.code = "0123456789abcdee";
  const Comparison other = compare(before, after);
  EXPECT_EQ(line_of(other, kTime).change, Change::regressed);
  EXPECT_EQ(line_of(other, "sectors").change, Change::regressed);
  EXPECT_EQ(line_of(other, kWorstError.metric).change, Change::regressed);
  before.subjects.begin()->second.code = after.subjects.begin()->second.code = "";
  EXPECT_EQ(line_of(compare(before, after), kTime).change, Change::regressed) << "code that is not known may differ";
}

TEST(Compare, ASmallChangeIsNone) {
  EXPECT_EQ(time_of(1e6, 1.015e6).change, Change::same) << "1.5 %";
  EXPECT_EQ(time_of(100, 110).change, Change::same) << "10 ns";
  EXPECT_EQ(time_of(100, 130).change, Change::regressed) << "30 ns";
}

TEST(Compare, FewSamplesAreInconclusive) {
  EXPECT_EQ(time_of(10'000, 20'000, kSamplesMin - 1).change, Change::inconclusive);
  EXPECT_EQ(time_of(10'000, 20'000, kSamplesMin).change, Change::regressed);
}

TEST(Compare, AChangeThatNoiseMayHideIsInconclusive) {
  const auto spread = [](Subject& row, double percent) {
    for (double& ns : row.series[kTime].samples[0]) ns = 10'000 * (1 + 10 * (ns / 10'000 - 1) + percent / 100);
  };
  Subject wide = timed(10'000);  // samples over 30 %
  spread(wide, 0);
  const auto moved = [&](double percent) {
    return line_of(compare_one(wide,
                               [&](Measured&, Subject& row) {
                                 set_times(row, 10'000);
                                 spread(row, percent);
                               }),
                   kTime);
  };
  EXPECT_EQ(moved(4).change, Change::inconclusive);
  EXPECT_THAT(moved(4).why, HasSubstr("5 % is not ruled out"));
  EXPECT_EQ(moved(60).change, Change::regressed);
}

TEST(Compare, AnotherGpuIsInconclusive) {
  const Comparison comparison = compare_one(timed(10'000), [](Measured&, Subject& row) { row.gpu = "NVIDIA H200"; });
  EXPECT_EQ(line_of(comparison, kTime).change, Change::inconclusive);
  EXPECT_THAT(comparison.notes, ElementsAre(HasSubstr("NVIDIA H200")));
}

// `after` at a lower clock by 5 %: a kernel that computes takes longer, one that waits for memory fewer cycles.
TEST(Compare, TimeAndCyclesMustAgree) {
  const auto at_clocks = [](double time, double cycles) {
    Subject subject = timed(10'000);
    set_times(subject, 10'000);
    subject.series[kCycles] = subject.series[kTime];
    return compare_one(subject, [&](Measured&, Subject& row) {
      set_times(row, 10'000 * cycles);
      row.series[kCycles] = row.series[kTime];
      set_times(row, 10'000 * time);
    });
  };
  const Comparison computes = at_clocks(1.05, 1), waits = at_clocks(1, 0.95), slower = at_clocks(1.15, 1.1);
  EXPECT_EQ(line_of(computes, kTime).change, Change::inconclusive);
  EXPECT_EQ(line_of(waits, kCycles).change, Change::inconclusive);
  EXPECT_EQ(line_of(slower, kTime).change, Change::regressed);
  EXPECT_EQ(line_of(slower, kCycles).change, Change::regressed);
}

Subject counted(double sectors) {
  Measured run;
  Subject& subject = add_subject(run, "rows=3 cols=65");
  set_exact(subject, "sectors", sectors);
  set_exact(subject, "requests", 50);
  return subject;
}

TEST(Compare, CountsAreComparedExactly) {
  const Comparison worse = compare_one(counted(4), [](Measured&, Subject& row) {
    set_exact(row, "sectors", 4.0001);
    set_exact(row, "requests", 49);
  });
  EXPECT_EQ(line_of(worse, "sectors").change, Change::regressed);
  EXPECT_EQ(line_of(worse, "requests").change, Change::improved);
  EXPECT_EQ(outcome(worse), Outcome::regressed);
  EXPECT_EQ(outcome(compare_one(counted(4), [](Measured&, Subject&) {})), Outcome::same);
}

TEST(Compare, AnotherCompilerIsSaidOnceAndOnlyWhereItMatters) {
  const auto other = [](double sectors) {
    return compare_one(counted(4), [&](Measured& run, Subject& row) {
      run.info.compiler = "g++ 13.1";
      set_exact(row, "sectors", sectors);
      set_exact(row, "requests", sectors * 12.5);
    });
  };
  EXPECT_EQ(line_of(other(5), "sectors").change, Change::inconclusive);
  EXPECT_THAT(other(5).notes, ElementsAre(HasSubstr("g++ 12.2 and g++ 13.1")));
  EXPECT_THAT(other(4).notes, IsEmpty());
  EXPECT_EQ(outcome(other(4)), Outcome::same);
}

TEST(Compare, ACountThatDiffersWithinARunIsInconclusive) {
  const Comparison comparison =
      compare_one(counted(4), [](Measured&, Subject& row) { row.series["sectors"].samples.push_back({5}); });
  EXPECT_EQ(line_of(comparison, "sectors").change, Change::inconclusive);
}

TEST(Compare, AFailureRegresses) {
  const auto fail = [](Measured&, Subject& row) { row.failure = "MISMATCH: y: 3 of 4 elements are wrong"; };
  const Comparison comparison = compare_one(counted(4), fail);
  ASSERT_EQ(comparison.lines.size(), 1u) << "what a failing kernel counts means nothing";
  EXPECT_EQ(comparison.lines[0].change, Change::regressed);
  EXPECT_THAT(comparison.lines[0].why, HasSubstr("MISMATCH"));
  Subject failing = counted(4);
  fail(*std::make_unique<Measured>(), failing);
  EXPECT_EQ(compare_one(failing, [](Measured&, Subject& row) { row.failure = ""; }).lines[0].change, Change::improved);
  const Comparison both = compare_one(failing, [](Measured&, Subject&) {});
  EXPECT_EQ(both.lines[0].change, Change::failing);
  EXPECT_EQ(outcome(both), Outcome::inconclusive) << "nothing of it can be compared";
  EXPECT_EQ(headline(both), "INCONCLUSIVE: 1 fail in both");
  EXPECT_THAT(both.notes, testing::Contains("failing cases: 1 of 1 in BASE, 1 of 1 in NEW"));
}

TEST(Compare, MissingRowsAndMetricsFail) {
  const Comparison row = compare_one(counted(4), [](Measured& run, Subject&) {
    run.subjects.clear();
    add_subject(run, "rows=9 cols=9");
  });
  EXPECT_EQ(row.count(Change::missing), 1);
  EXPECT_EQ(row.count(Change::added), 1);
  EXPECT_EQ(outcome(row), Outcome::regressed);
  const Comparison metric =
      compare_one(counted(4), [](Measured&, Subject& subject) { subject.series.erase("requests"); });
  EXPECT_EQ(line_of(metric, "requests").change, Change::missing);
  const Comparison judged = compare_one(counted(4), [](Measured&, Subject& subject) { subject.judged = false; });
  EXPECT_EQ(judged.count(Change::missing), 1) << "a row that is skipped now is missing";
}

TEST(Compare, ARunThatDidNotEndIsInconclusive) {
  const Comparison comparison = compare_one(counted(4), [](Measured& run, Subject&) {
    run.info.status = "out of time";
    run.subjects.clear();
    add_subject(run, "rows=9 cols=9");
  });
  EXPECT_EQ(comparison.count(Change::missing), 0);
  EXPECT_EQ(outcome(comparison), Outcome::inconclusive);
  EXPECT_THAT(comparison.notes, Contains(HasSubstr("out of time")));
}

// -- Accuracy.

// A variant with these errors, in cases of this seed.
Measured with_errors(const std::vector<double>& errors, uint64_t seed = 1) {
  Measured run = test_run(seed);
  for (size_t i = 0; i < errors.size(); ++i)
    add_subject(run, "rows=" + std::to_string(100 * seed + i) + " cols=9").error_over_budget = errors[i];
  return run;
}

TEST(Accuracy, FarMoreOfTheBudgetRegresses) {
  const Comparison worse = compare(with_errors({0.1, 0.2, 0.15}), with_errors({0.1, 0.8, 0.5}));
  EXPECT_EQ(line_of(worse, kWorstError.metric).change, Change::regressed);
  EXPECT_EQ(line_of(worse, kTypicalError.metric).change, Change::regressed);
  EXPECT_EQ(outcome(worse), Outcome::regressed);
  const Comparison better = compare(with_errors({0.1, 0.8, 0.5}), with_errors({0.1, 0.2, 0.15}));
  EXPECT_EQ(line_of(better, kWorstError.metric).change, Change::improved);
}

TEST(Accuracy, ManyTimesNextToNothingIsNothing) {
  EXPECT_EQ(outcome(compare(with_errors({0, 0.001}), with_errors({0, 0.1}))), Outcome::same);
  EXPECT_EQ(outcome(compare(with_errors({0.6, 0.7}), with_errors({0.6, 0.99}))), Outcome::same);
}

// One case of many is the luck of its data; the worst of many is what a bug that few shapes show looks like.
TEST(Accuracy, OneCaseOfManyCountsByTheWorst) {
  std::vector<double> before(60, 0.2), after(60, 0.2);
  after[7] = 0.55;
  EXPECT_EQ(line_of(compare(with_errors(before), with_errors(after)), kTypicalError.metric).change, Change::same);
  EXPECT_EQ(line_of(compare(with_errors(before), with_errors(after)), kWorstError.metric).change, Change::regressed);
}

TEST(Accuracy, CasesOfAnotherSeedAreComparedAsAWhole) {
  const Comparison same = compare(with_errors({0.1, 0.2, 0.15}, 1), with_errors({0.2, 0.1, 0.25}, 2));
  EXPECT_EQ(outcome(same), Outcome::same);
  EXPECT_EQ(same.count(Change::missing), 0);
  EXPECT_THAT(same.notes, ElementsAre(HasSubstr("different seeds (1 and 2)")));
  EXPECT_EQ(outcome(compare(with_errors({0.1, 0.2, 0.15}, 1), with_errors({0.2, 0.1, 0.85}, 2))), Outcome::regressed);
  Measured gone = test_run(2);
  add_subject(gone, "rows=1 cols=1", "softmax/other");
  EXPECT_EQ(compare(with_errors({0.1}, 1), gone).count(Change::missing), 1) << "the variant is gone";
}

TEST(Compare, RegressionsComeFirstAndTheLargestOfThem) {
  Measured before = test_run(), after = test_run();
  for (const auto& [cols, sectors] : {std::pair{1, 4.0}, {2, 8.0}, {3, 6.0}}) {
    set_exact(add_subject(before, "cols=" + std::to_string(cols)), "sectors", 4);
    set_exact(add_subject(after, "cols=" + std::to_string(cols)), "sectors", sectors);
  }
  const Comparison comparison = compare(before, after);
  EXPECT_THAT(comparison.lines[0].subject, HasSubstr("cols=2"));
  EXPECT_THAT(comparison.lines[1].subject, HasSubstr("cols=3"));
  EXPECT_EQ(comparison.lines[2].change, Change::same);
}

TEST(Compare, NothingInCommonIsInconclusive) {
  EXPECT_EQ(outcome(compare(test_run(), test_run())), Outcome::inconclusive);
}

}  // namespace
}  // namespace assay::comparison
