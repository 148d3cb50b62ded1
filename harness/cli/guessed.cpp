// Running each failing case once more, with ordinary data.
#include "harness/cli/guessed.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/audit.h"

namespace assay {
namespace {

constexpr const char* kOrdinary = "normal";
constexpr int kRunsMax = 32;  // further failures are withheld without a run

bool is_ordinary(const Case& c) { return c.fill == kOrdinary && !c.nonzero; }

bool is_in_shared_memory(const ResultRow& row) {
  return (row.verdict == Kind::race || row.verdict == Kind::uninitialised) &&
         row.detail.find(": shared ") != std::string::npos;
}

bool is_judged(const ResultRow& row) { return row.verdict == Kind::pass || is_failure(row.verdict); }

// Under a guessed adapter the kernel's own fault alone is known to be true: no other finding of the case is, and no
// value that is wrong beside it.
void keep_own_fault(ResultRow& row) {
  const auto without_value = [](std::string& detail) {
    const size_t value = detail.find(" shows a wrong value: ");
    if (value != std::string::npos) detail.resize(detail.rfind("; schedule=", value));
  };
  std::erase_if(row.findings, [&](const Finding& finding) { return finding.kind != row.verdict; });
  for (Finding& finding : row.findings) without_value(finding.detail);
  without_value(row.detail);
}

ResultRow withheld(const ResultRow& row, const std::string& why) {
  const std::string said = is_failure(row.verdict) ? fmt::format("; it was {}: {}", name(row.verdict), row.detail) : "";
  return row_for(row.c, row.device, Kind::skipped, why + said);
}

}  // namespace

void withhold_guessed(std::vector<ResultRow>& rows, const Guesses& guesses, const RunTask& run,
                      size_t passed_elsewhere) {
  std::map<std::string, std::string> suspect;  // by id: the first failure that may be the adapter's
  std::vector<bool> stands(rows.size(), false);
  struct Counts {
    size_t passed = 0, failed = 0;
  };
  std::map<std::string, Counts> counts;
  for (const ResultRow& row : rows) {
    counts[row.id()].passed += row.verdict == Kind::pass ? 1 : 0;
    counts[row.id()].failed += is_failure(row.verdict) ? 1 : 0;
  }
  int runs = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ResultRow& row = rows[i];
    if (!is_failure(row.verdict) || !guesses.contains(row.id())) continue;
    const Counts& of = counts[row.id()];
    const Guess& guess = guesses.at(row.id());
    const bool is_own = guess.leaves(row.verdict);
    if (is_own && !guess.of_grid) keep_own_fault(rows[i]);
    stands[i] = is_own || (is_in_shared_memory(row) && of.passed + passed_elsewhere >= kPassesOfAFailure * of.failed);
    if (!stands[i] && !is_ordinary(row.c) && runs++ < kRunsMax) {
      Case ordinary = row.c;
      ordinary.fill = kOrdinary;
      ordinary.nonzero.reset();
      const auto again = run({ordinary, row.device});
      stands[i] = again && again->verdict == Kind::pass;
    }
    if (!stands[i]) suspect.try_emplace(row.id(), fmt::format("{} {}", name(row.verdict), row.line()));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto found = suspect.find(rows[i].id());
    const auto may_be_of_it = [&](const Guess& guess) {  // where an output holds values before, none stays unwritten
      return !stands[i] || (guess.of_grid && rows[i].verdict == Kind::mismatch);
    };
    if (found != suspect.end() && is_judged(rows[i]) && may_be_of_it(guesses.at(rows[i].id())))
      rows[i] = withheld(rows[i], fmt::format("the adapter is a guess ({}), and {} may be its fault",
                                              guesses.at(rows[i].id()).assumed, found->second));
  }
}

void withhold_unmade(std::vector<ResultRow>& rows, const std::set<std::string>& unmade) {
  std::map<std::string, std::map<DType, bool>> right;  // by id
  for (const ResultRow& row : rows)
    if (unmade.contains(row.id()) && is_judged(row)) {
      const auto at = right[row.id()].try_emplace(row.c.dtype, true).first;
      at->second &= row.verdict == Kind::pass;
    }
  for (ResultRow& row : rows) {
    if (!unmade.contains(row.id()) || !is_judged(row)) continue;
    const std::map<DType, bool>& dtypes = right[row.id()];
    const auto other = std::ranges::find_if(dtypes, [](const auto& each) { return each.second; });
    if (other == dtypes.end() || dtypes.at(row.c.dtype)) continue;
    row = withheld(row, fmt::format("its file makes no instance of the template in {}, and it is right in {}",
                                    name(row.c.dtype), name(other->first)));
  }
}

void withhold_blind(std::vector<ResultRow>& rows, const std::vector<std::string>& ids) {
  for (const ResultRow& blind : mistrusted_rows(rows))
    for (ResultRow& row : rows)
      if (row.verdict == Kind::pass && row.c.op == blind.c.op && row.c.dtype == blind.c.dtype &&
          row.origin.ops.empty() && std::ranges::find(ids, row.id()) != ids.end())
        row = withheld(row, fmt::format("its budget cannot tell right from wrong here: {}", blind.detail));
}

void withhold_unseen(std::vector<ResultRow>& rows, const std::map<std::string, std::string>& seen) {
  std::set<std::string> failed;
  for (const ResultRow& row : rows)
    if (is_failure(row.verdict)) failed.insert(row.id());
  for (ResultRow& row : rows)
    if (const auto found = seen.find(row.id());
        found != seen.end() && row.verdict == Kind::pass && !failed.contains(row.id()))
      row = withheld(
          row, fmt::format("it was {} when it was tried, which no case of this run shows; give it more: --cases N",
                           found->second));
}

}  // namespace assay
