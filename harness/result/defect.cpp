// Turns findings into defects.
#include "harness/result/defect.h"

#include <algorithm>

#include "harness/base/scanner.h"

namespace assay {
namespace {

constexpr size_t kDigitsMax = 9;

bool is_source(std::string_view name) {
  for (const std::string_view ending : {".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp"})
    if (name.ends_with(ending) && name.size() > ending.size()) return true;
  return false;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kDigitsMax && std::ranges::all_of(text, is_digit);
}

// Whether the right value in a detail such as "got nan, want -inf ± 0" is not finite.
bool wants_nonfinite(std::string_view detail) {
  constexpr std::string_view kWant = ", want ";
  const size_t at = detail.find(kWant);
  if (at == std::string_view::npos) return false;
  std::string_view value = detail.substr(at + kWant.size());
  if (value.starts_with('-')) value.remove_prefix(1);
  return value.starts_with("inf") || value.starts_with("nan");
}

template <class T>
void add_once(std::vector<T>& all, T one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

}  // namespace

std::vector<SourceLine> source_lines(std::string_view text) {
  std::vector<SourceLine> lines;
  Scanner scan(text);
  while (!scan.at_end()) {
    const auto file = scan.take([](char c) { return is_word_char(c) || c == '.' || c == '+' || c == '-'; });
    if (!scan.skip(":")) {
      if (file.empty()) scan.go_to(scan.at() + 1);
      continue;
    }
    const size_t after_colon = scan.at();
    const auto line = scan.word();
    if (is_source(file) && is_number(line)) {
      add_once(lines, {std::string(file), std::string(line)});
    } else {
      scan.go_to(after_colon);
    }
  }
  return lines;
}

Defect defect_of(const ResultRow& row, const Finding& finding) {
  Defect defect{row.id(), finding.kind, finding.subject, {}, false};
  if (finding.kind != Kind::timeout) defect.lines = source_lines(finding.detail);
  std::ranges::sort(defect.lines);
  if (finding.kind == Kind::nonfinite) defect.wants_nonfinite = wants_nonfinite(finding.detail);
  return defect;
}

std::vector<Defect> defects_of(const ResultRow& row) {
  std::vector<Defect> defects;
  if (!is_failure(row.verdict)) return defects;
  for (const Finding& finding : row.findings)
    if (is_failure(finding.kind)) add_once(defects, defect_of(row, finding));
  if (defects.empty()) defects.push_back(defect_of(row, {row.verdict, row.detail}));
  return defects;
}

bool shows(const ResultRow& row, const Defect& defect) {
  const std::vector<Defect> shown = defects_of(row);
  return std::ranges::find(shown, defect) != shown.end();
}

bool is_cause(Kind kind) {
  switch (kind) {
    case Kind::uninitialised:
    case Kind::misaligned:
    case Kind::race:
    case Kind::out_of_bounds:
    case Kind::barrier:
      return true;
    default:
      return false;
  }
}

bool is_effect(Kind kind) {
  return is_failure(kind) && !is_cause(kind) && kind != Kind::mistrusted && kind != Kind::timing_suspect &&
         kind != Kind::judge_crash;
}

bool go_together(Kind a, Kind b) {
  const auto about = [](Kind kind) {
    switch (kind) {
      case Kind::nondeterministic:
      case Kind::property:
      case Kind::nonfinite:
      case Kind::unwritten:
        return Kind::mismatch;
      default:
        return kind;
    }
  };
  const Kind both = about(a);
  return both == about(b) && (both == Kind::mismatch || both == Kind::input_changed || both == Kind::guard_broken);
}

bool may_come_of(Kind effect, Kind bug) {
  return go_together(effect, bug) || (effect == Kind::property && go_together(bug, bug));
}

bool has_ordinary_data(const Case& c) { return std::ranges::find(kOrdinaryFills, c.fill) != kOrdinaryFills.end(); }

int explains(Kind kind) { return static_cast<int>(kind) + (is_cause(kind) ? 1000 : 0); }

}  // namespace assay
