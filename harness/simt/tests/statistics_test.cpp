// Access statistics of small kernels with known answers, which stand in their files: `// TOTAL: figure=value …` for the
// kernel (in one line or more), `// LINE: …` behind a line for that line.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "harness/simt/checked/access_statistics.h"
#include "harness/simt/checked/checker.h"
#include "harness/simt/checked/statistics.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/tests/kernel_table.h"

namespace assay::simt::test {
namespace {

using Named = std::map<std::string, double>;

// The figures of reports, and counts that they are made of.
Named named(const Figures& figures, const AccessCounts& c) {
  Named all = {{"requests", static_cast<double>(global_requests(c))},
               {"bytes_read", static_cast<double>(bytes_read(c))},
               {"bytes_written", static_cast<double>(bytes_written(c))},
               {"bank_conflict_max", static_cast<double>(c.bank_conflict_max)},
               {"atomics", static_cast<double>(c.atomics)},
               {"barriers", static_cast<double>(c.barriers)}};
  for (const Figure& figure : figures) all[std::string(figure.name)] = figure.value;
  return all;
}

Named figures_of(const AccessStatistics& run, const KernelCounts& kernel) {
  Named all = named(figures(run, kernel), kernel.total);
  all["launches"] = static_cast<double>(kernel.launches);
  all["blocks"] = static_cast<double>(kernel.blocks);
  all["threads_per_block"] = static_cast<double>(kernel.threads_per_block);
  all["dynamic_shared_bytes"] = static_cast<double>(kernel.dynamic_shared_bytes);
  return all;
}

struct Expected {
  Named total;
  std::map<std::string, Named> lines;  // "file.cu:12"
};

Named parse(const std::string& text) {
  std::istringstream words(text);
  Named figures;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    figures[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
  }
  return figures;
}

Expected expected_of(const KernelTest& test) {
  std::ifstream file(test.path);
  Expected expected;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string total = "// TOTAL: ", of_line = "// LINE: ";
    if (line.rfind(total, 0) == 0) expected.total.merge(parse(line.substr(total.size())));
    if (const size_t at = line.find(of_line); at != std::string::npos)
      expected.lines[test.name + std::string(".cu:") + std::to_string(number)] =
          parse(line.substr(at + of_line.size()));
  }
  return expected;
}

void expect_figures(const std::string& where, const Named& want, const Named& got) {
  for (const auto& [name, value] : want) {
    ASSERT_TRUE(got.contains(name)) << "no figure '" << name << "'";
    EXPECT_DOUBLE_EQ(got.at(name), value) << where << ": " << name;
  }
}

AccessStatistics count(const KernelTest& test, uint64_t schedule) {
  Checker checker;
  AccessStatistics statistics;
  Context context{.options = {.schedule = schedule, .checker = &checker, .statistics = &statistics}, .findings = {}};
  const ContextScope scope(context);
  EXPECT_STREQ(test.run(), "");
  EXPECT_TRUE(context.findings.empty()) << context.findings[0].detail;
  EXPECT_EQ(statistics.incomplete, "");
  return statistics;
}

std::vector<KernelTest> counted_kernels() {
  size_t count = 0;
  const KernelTest* const all = kernel_tests(&count);
  std::vector<KernelTest> found;
  for (size_t i = 0; i < count; ++i)
    if (std::string(all[i].path).find("/counted/") != std::string::npos) found.push_back(all[i]);
  return found;
}

class Counted : public testing::TestWithParam<KernelTest> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Counted, testing::ValuesIn(counted_kernels()),
                         [](const auto& which) { return std::string(which.param.name); });

TEST_P(Counted, HasTheFiguresThatItsFileSays) {
  const Expected expected = expected_of(GetParam());
  ASSERT_FALSE(expected.total.empty());
  const AccessStatistics statistics = count(GetParam(), 0);
  ASSERT_EQ(statistics.kernels.size(), 1u);
  const KernelCounts& kernel = statistics.kernels[0];
  EXPECT_EQ(kernel.kernel, GetParam().name + std::string("_kernel"));
  expect_figures("the kernel", expected.total, figures_of(statistics, kernel));
  std::map<std::string, Named> lines;
  for (const LineCounts& line : kernel.lines) lines[line.line] = named(figures(statistics, kernel, line), line.counts);
  for (const auto& [line, want] : expected.lines) {
    ASSERT_TRUE(lines.contains(line)) << "nothing is counted for " << line;
    expect_figures(line, want, lines[line]);
  }
}

// A request is what a warp does, in whatever order its lanes do it.
TEST_P(Counted, DoesNotDependOnTheSchedule) {
  const AccessStatistics first = count(GetParam(), 0);
  for (const uint64_t schedule : {0, 7, 12345}) {
    const AccessStatistics again = count(GetParam(), schedule);
    ASSERT_EQ(first.kernels.size(), again.kernels.size());
    ASSERT_EQ(first.kernels[0].lines.size(), again.kernels[0].lines.size());
    EXPECT_EQ(first.kernels[0].total, again.kernels[0].total) << "schedule " << schedule;
    for (size_t i = 0; i < first.kernels[0].lines.size(); ++i) {
      EXPECT_EQ(first.kernels[0].lines[i].line, again.kernels[0].lines[i].line);
      EXPECT_EQ(first.kernels[0].lines[i].counts, again.kernels[0].lines[i].counts)
          << first.kernels[0].lines[i].line << ", schedule " << schedule;
    }
  }
}

// Two warps of which each reads `rounds` rows of 32 words, lane after lane.
class LittleMemory : public testing::Test {
 protected:
  void run_warp(uint32_t warp, int rounds) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (int round = 0; round < rounds; ++round)
        statistics_.access(32 * warp + lane, 4096 + 128 * static_cast<uintptr_t>(round) + 4 * lane, 4,
                           checked::Access::read, false, this);
  }
  AccessStatistics result_;
  checked::Statistics statistics_{result_, "kernel", {64}, 500};
};

TEST_F(LittleMemory, ClosesWarpsThatHaveRun) {
  statistics_.begin_block(0);
  run_warp(0, 10);  // 320 entries
  run_warp(1, 7);   // 224: the first warp must go
  statistics_.end_launch();
  EXPECT_EQ(result_.incomplete, "");
  EXPECT_EQ(result_.kernels[0].total.reads, (SectorCounts{17, 68, 68}));
  EXPECT_EQ(result_.kernels[0].total.lanes_active, result_.kernels[0].total.lanes_present);
}

TEST_F(LittleMemory, SaysSoWhenAClosedWarpGoesOn) {
  statistics_.begin_block(0);
  run_warp(0, 10);
  run_warp(1, 7);
  run_warp(0, 1);
  statistics_.end_launch();
  EXPECT_NE(result_.incomplete, "");
}

TEST_F(LittleMemory, MayGoOnAfterABarrier) {
  statistics_.begin_block(0);
  run_warp(0, 10);
  run_warp(1, 7);
  statistics_.barrier(this);
  run_warp(0, 1);
  statistics_.end_launch();
  EXPECT_EQ(result_.incomplete, "");
  EXPECT_EQ(result_.kernels[0].total.reads.requests, 18);
}

TEST_F(LittleMemory, SaysSoWhenOneWarpIsTooMuch) {
  statistics_.begin_block(0);
  run_warp(0, 20);
  statistics_.end_launch();
  EXPECT_NE(result_.incomplete, "");
}

}  // namespace
}  // namespace assay::simt::test
