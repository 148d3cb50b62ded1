// The table of outcomes: their printed names and which of them are failures.
#include "harness/base/verdict.h"

#include <array>
#include <iterator>
#include <utility>

namespace assay {
namespace {

struct Row {
  Kind kind;
  std::string_view name;
  bool failure;
};

constexpr std::array kRows{
    Row{Kind::pass, "PASS", false},
    Row{Kind::nondeterministic, "NONDETERMINISTIC", true},
    Row{Kind::property, "PROPERTY", true},
    Row{Kind::mismatch, "MISMATCH", true},
    Row{Kind::nonfinite, "NONFINITE", true},
    Row{Kind::unwritten, "UNWRITTEN", true},
    Row{Kind::input_changed, "INPUT_CHANGED", true},
    Row{Kind::guard_broken, "GUARD_BROKEN", true},
    Row{Kind::leak, "LEAK", true},
    Row{Kind::uninitialised, "UNINITIALISED", true},
    Row{Kind::misaligned, "MISALIGNED", true},
    Row{Kind::race, "RACE", true},
    Row{Kind::out_of_bounds, "OUT_OF_BOUNDS", true},
    Row{Kind::barrier, "BARRIER", true},
    Row{Kind::timeout, "TIMEOUT", true},
    Row{Kind::crash, "CRASH", true},
    Row{Kind::judge_crash, "JUDGE_CRASH", true},
    Row{Kind::mistrusted, "MISTRUSTED", true},
    Row{Kind::timing_suspect, "TIMING_SUSPECT", true},
    Row{Kind::rejected, "REJECTED", false},
    Row{Kind::unsupported, "UNSUPPORTED", false},
    Row{Kind::skipped, "SKIPPED", false},
};

constexpr bool rows_are_in_enum_order() {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<size_t>(kRows[i].kind) != i) return false;
  return kRows.size() == static_cast<size_t>(Kind::skipped) + 1;
}
static_assert(rows_are_in_enum_order(), "kRows lists every Kind once, in order");

}  // namespace

std::string_view name(Kind kind) { return kRows[static_cast<size_t>(kind)].name; }

std::optional<Kind> kind_from(std::string_view name) {
  for (const Row& row : kRows)
    if (row.name == name) return row.kind;
  return std::nullopt;
}

bool is_failure(Kind kind) { return kRows[static_cast<size_t>(kind)].failure; }

Findings& Findings::operator+=(Findings other) {
  insert(end(), std::make_move_iterator(other.begin()), std::make_move_iterator(other.end()));
  return *this;
}

Verdict Verdict::worst(const Findings& findings) {
  // A reason not to run says nothing about what did run, so every failure outranks it.
  const auto rank = [](Kind kind) { return std::pair(is_failure(kind), kind); };
  Verdict verdict;
  for (const Finding& finding : findings)
    if (rank(finding.kind) > rank(verdict.kind)) verdict = {finding.kind, ""};
  for (const Finding& finding : findings) {
    if (finding.kind != verdict.kind) continue;
    if (!verdict.detail.empty()) verdict.detail += "; ";
    verdict.detail += finding.detail;
  }
  return verdict;
}

}  // namespace assay
