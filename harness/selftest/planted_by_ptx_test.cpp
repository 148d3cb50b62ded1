// Tests that the second front end finds every planted bug as the first does from source: the same cases have the same
// verdicts, and findings of the checked build name the same lines, or lines near them, for nvcc's optimiser moves some.
//
// Where nvcc has taken a bug away, the file says so in its first lines, with the reason: `// BY PTX: PASS because …`,
// or `PASS in bf16 because …`. An error that is infinite may be finite there: which of the two it is says nothing of
// the bug. It takes nvcc, and some ten seconds of processor for each bug: every run of the tests holds a sample of
// them, and all where that is asked for:
//   ASSAY_TWO_ROUTES=1 build/tests/selftest --gtest_filter='*PlantedByPtx*'
#include <gmock/gmock.h>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/result/defect.h"
#include "harness/selftest/by_ptx_route.h"

namespace assay {
namespace {

using selftest::Planted;
using selftest::Ran;
using selftest::Rows;
using selftest::Scratch;

constexpr size_t kBugsPerSample = 20;  // one bug in so many is held by every run of the tests
constexpr int kFailuresMax = 5;        // failing cases of a bug that are run again, of each device
constexpr int kLinesMax = 2;           // how far the optimiser may move a line

// The first of the failing cases of each device, in the order of their lines.
Rows some_failures(const Rows& rows) {
  Rows some;
  std::map<std::string, int> taken;
  for (const auto& [key, row] : rows)
    if (is_failure(row.verdict) && taken[row.device]++ < kFailuresMax) some[key] = row;
  return some;
}

bool is_near(const SourceLine& a, const SourceLine& b) {
  return a.file == b.file && std::abs(std::stoi(a.line) - std::stoi(b.line)) <= kLinesMax;
}

// Whether findings of the kind of `row` name, from source, a line near each of those that they name by PTX.
void expect_near_lines(const ResultRow& ptx, const ResultRow& source) {
  if (!is_cause(source.verdict) || ptx.verdict != source.verdict) return;
  const std::vector<SourceLine> known = source_lines(source.detail);
  for (const SourceLine& line : source_lines(ptx.detail))
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const SourceLine& each) { return is_near(each, line); }))
        << "by PTX at " << line.file << ":" << line.line << ": " << ptx.detail << "\nfrom source: " << source.detail;
}

// Whether the file states that nvcc has taken the bug away, for this dtype.
bool is_taken_away(const Planted& bug, const ResultRow& row) {
  if (!bug.by_ptx.starts_with("PASS in ")) return bug.by_ptx.starts_with("PASS");
  return bug.by_ptx.starts_with(fmt::format("PASS in {} ", name(row.c.dtype)));
}

// The part of a verdict on which the two front ends must agree.
std::string_view kind_of_defect(Kind verdict) { return name(verdict == Kind::nonfinite ? Kind::mismatch : verdict); }

class PlantedByPtx : public selftest::OneInFour<testing::TestWithParam<Planted>> {};

TEST_P(PlantedByPtx, IsFoundAsFromSource) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  unsetenv("GTEST_TOTAL_SHARDS");  // shares out tests; assay would heed it too, and run a part of the cases
  const Planted& bug = GetParam();
  const Scratch scratch;
  const Ran source =
      selftest::run("assay_selftest", "check " + bug.id + selftest::suite_of(bug, scratch) +
                                          "--cases 100 --seed 1 --case-limit 1s --shrink 0 --no-save --out " +
                                          scratch.path + "/source");
  ASSERT_EQ(source.exit_code, 1) << source.out << source.err;
  const Rows failures = some_failures(selftest::rows_by_case(scratch.path + "/source"));
  ASSERT_FALSE(failures.empty());
  const Rows by_ptx = selftest::by_ptx_route("assay_selftest", bug.file, bug.id, failures,
                                             "-D ASSAY_PLANTED=1 --case-limit 1s", scratch);
  for (const auto& [key, row] : failures) {
    SCOPED_TRACE(key);
    ASSERT_TRUE(by_ptx.contains(key)) << "was not run";
    const ResultRow& ptx = by_ptx.at(key);
    if (is_taken_away(bug, row)) {
      EXPECT_EQ(name(ptx.verdict), "PASS") << bug.file << " states that nvcc takes the bug away";
      continue;
    }
    EXPECT_EQ(kind_of_defect(ptx.verdict), kind_of_defect(row.verdict))
        << ptx.detail << "\nfrom source: " << row.detail;
    expect_near_lines(ptx, row);
  }
}

std::vector<Planted> held_bugs() {
  const bool all = std::getenv("ASSAY_TWO_ROUTES") != nullptr;
  std::vector<Planted> some;
  for (size_t i = 0; const Planted& bug : selftest::planted(selftest::Side::bug))
    if (all || i++ % kBugsPerSample == 0) some.push_back(bug);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Planted, PlantedByPtx, testing::ValuesIn(held_bugs()), selftest::name_of_test);

}  // namespace
}  // namespace assay
