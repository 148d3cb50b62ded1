// Whether a comparison cries wolf, and whether it sees one: tables of simulated runs, of which the truth is known.
//
// Every run of the tests makes a few tables with fixed seeds. ASSAY_TABLES=1000 asks for that many, and prints what the
// comparison finds beside what two common methods find in the same samples.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "harness/compare/compare.h"
#include "harness/compare/test_noise.h"

namespace assay::comparison {
namespace {

constexpr size_t kRows = 200;

size_t tables() {
  const char* const asked = std::getenv("ASSAY_TABLES");
  return asked ? std::strtoul(asked, nullptr, 10) : 0;
}

// Names of rows that a method says are slower.
using Found = std::set<std::string>;

Found by_comparison(const Comparison& comparison) {
  Found found;
  for (const Line& line : comparison.lines)
    if (line.change == Change::regressed) found.insert(line.subject);
  return found;
}

// Google Benchmark's compare.py: a U test for each row, at 5 %, and the sign of the change of the median.
Found by_u_test(const Pair& runs) {
  Found found;
  for (const auto& [name, before] : runs.before.subjects) {
    const Samples &from = before.series.at(kTime).samples, &to = runs.after.subjects.at(name).series.at(kTime).samples;
    std::vector<double> first, second;
    for (const auto& process : from) first.insert(first.end(), process.begin(), process.end());
    for (const auto& process : to) second.insert(second.end(), process.begin(), process.end());
    if (mann_whitney({first}, {second}) < 0.05 && median(to) > median(from)) found.insert(name);
  }
  return found;
}

// The median is 10 % higher.
Found by_threshold(const Pair& runs) {
  Found found;
  for (const auto& [name, before] : runs.before.subjects)
    if (median(runs.after.subjects.at(name).series.at(kTime).samples) > 1.1 * median(before.series.at(kTime).samples))
      found.insert(name);
  return found;
}

struct Tally {
  size_t tables = 0, changed = 0;
  size_t false_tables = 0;  // with at least one row that is found and has not changed
  size_t found = 0;         // of the rows that have
  size_t false_rows = 0, rows_same = 0;
  size_t open_tables = 0;  // in which nothing is found, and something is inconclusive
  size_t open_rows = 0;

  void add(const Found& rows, const Pair& runs, size_t slowed) {
    ++tables;
    changed += slowed;
    size_t place = 0, wrong = 0;
    for (const auto& [name, subject] : runs.before.subjects)
      if (const bool slow = place++ < slowed; rows.contains(name)) (slow ? found : wrong) += 1;
    false_tables += wrong > 0;
    false_rows += wrong;
    rows_same += runs.before.subjects.size() - slowed;
  }
  double share_false() const { return static_cast<double>(false_tables) / static_cast<double>(tables); }
  double share_found() const { return static_cast<double>(found) / static_cast<double>(changed); }
};

struct Campaign {
  Tally comparison, u_test, threshold;
};

Campaign run(size_t tables, size_t slowed, double factor, const Noise& noise, const Layout& layout,
             bool others = false) {
  Campaign all;
  for (uint64_t seed = 1; seed <= tables; ++seed) {
    const Pair runs = simulated_runs(kRows, slowed, factor, noise, layout, seed);
    const Comparison comparison = compare(runs.before, runs.after, {.seed = seed});
    all.comparison.add(by_comparison(comparison), runs, slowed);
    all.comparison.open_tables += outcome(comparison) == Outcome::inconclusive;
    all.comparison.open_rows += static_cast<size_t>(comparison.count(Change::inconclusive));
    if (!others) continue;
    all.u_test.add(by_u_test(runs), runs, slowed);
    all.threshold.add(by_threshold(runs), runs, slowed);
  }
  return all;
}

TEST(Simulation, RowsThatAreTheSameDoNotRegress) {
  EXPECT_EQ(run(4, 0, 1, {}, {}).comparison.false_tables, 0u);
  EXPECT_EQ(run(2, 0, 1, {}, {.processes = 5, .samples = 6}).comparison.false_tables, 0u);
}

TEST(Simulation, SlowRowsAreFound) {
  EXPECT_GE(run(3, 10, 1.05, {}, {}).comparison.share_found(), 0.95);
  EXPECT_GE(run(4, 10, 1.03, {}, {}).comparison.share_found(), 0.8);
}

// A process at the lower clock throughout: time rises by 3 %, and nothing has changed.
TEST(Simulation, AnotherClockIsNoRegression) {
  const Noise stuck{.slow_share = 0.5, .clock_keeps = 1};
  const Campaign all = run(2, 0, 1, stuck, {});
  EXPECT_EQ(all.comparison.false_tables, 0u);
  EXPECT_GT(all.comparison.open_rows, 0u) << "no row had another clock";
}

// Effects of processes that are three times as large: rows are inconclusive, and still none regresses.
TEST(Simulation, NoisyProcessesAreInconclusive) {
  const Campaign all = run(3, 0, 1, {.process = 0.01}, {});
  EXPECT_LE(all.comparison.false_tables, 1u);
  EXPECT_GT(all.comparison.open_rows, 0u);
}

TEST(Simulation, Campaign) {
  if (tables() == 0) GTEST_SKIP() << "ASSAY_TABLES=1000 asks for it";
  const auto print = [](const std::string& what, const Campaign& all) {
    const auto share = [](double value) {
      return std::isnan(value) ? std::string("-") : fmt::format("{:.2f} %", 100 * value);
    };
    for (const auto& [method, tally] :
         {std::pair{"compare", &all.comparison}, {"U test 5 %", &all.u_test}, {"10 % more", &all.threshold}})
      fmt::print("{:<44} {:<10} false in {:>7} of tables, {:>7} of rows, found {:>7}{}\n", what, method,
                 share(tally->share_false()),
                 share(static_cast<double>(tally->false_rows) / static_cast<double>(tally->rows_same)),
                 share(tally->share_found()),
                 tally == &all.comparison
                     ? fmt::format(", {} tables and {} lines inconclusive", tally->open_tables, tally->open_rows)
                     : "");
    std::fflush(stdout);
  };
  const size_t few = std::max<size_t>(tables() / 10, 1);
  for (const Layout layout : {Layout{1, 30}, Layout{5, 6}, Layout{10, 3}}) {
    const std::string with = fmt::format("{} x {} samples", layout.processes, layout.samples);
    const Campaign same = run(layout.samples > 3 ? tables() : few, 0, 1, {}, layout);
    const Campaign others = run(few, 0, 1, {}, layout, true);
    print("nothing changed, " + with, {same.comparison, others.u_test, others.threshold});
    EXPECT_LE(same.comparison.share_false(), 0.01) << with;
    const Campaign five = run(few, 10, 1.05, {}, layout, true), three = run(few, 10, 1.03, {}, layout, true);
    print("10 rows 5 % slower, " + with, five);
    print("10 rows 3 % slower, " + with, three);
    EXPECT_GE(five.comparison.share_found(), 0.95) << with;
    EXPECT_GE(three.comparison.share_found(), 0.8) << with;
    print("1 row 5 % slower, " + with, run(few, 1, 1.05, {}, layout, true));
    print("1 row 3 % slower, " + with, run(few, 1, 1.03, {}, layout, true));
  }
  print("nothing changed, clocks not read", run(few, 0, 1, {.clock_is_read = false}, {}, true));
  print("nothing changed, clocks stuck in a process", run(few, 0, 1, {.slow_share = 0.5, .clock_keeps = 1}, {}, true));
  print("the same, clocks not read",
        run(few, 0, 1, {.slow_share = 0.5, .clock_keeps = 1, .clock_is_read = false}, {}, true));
  for (const double process : {0.002, 0.005, 0.01, 0.02})
    print(fmt::format("nothing changed, processes vary by {:.1f} %", 100 * process),
          run(few, 0, 1, {.process = process}, {}, true));
  print("nothing changed, 20 % outliers", run(few, 0, 1, {.outlier_share = 0.2}, {}, true));
}

}  // namespace
}  // namespace assay::comparison
