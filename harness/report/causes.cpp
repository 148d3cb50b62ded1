// Defects by cause.
#include "harness/report/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/report/shared_condition.h"

namespace assay {
namespace {

using Rows = std::vector<const ResultRow*>;

struct Seen {
  Rows rows;  // that show the defect, in the order of the plan
  const ResultRow* shown = nullptr;
  const Defect* same_as = nullptr;  // another of the same cause; itself, where no further one is known
};
using Defects = std::map<Defect, Seen>;

bool is_made(const ResultRow* row) { return !row->shrunk_from.empty(); }

// Chooses among the rows that shrinking made, else among the others: one with the plainest data, then the smallest,
// then one that was made of a case that shows the same.
const ResultRow* row_to_show(const Rows& rows) {
  std::set<std::string> lines;
  for (const ResultRow* row : rows) lines.insert(row->line());
  const auto order = [&](const ResultRow* row) {
    return std::tuple(!is_made(row), !has_ordinary_data(row->c), is_made(row) ? row->figures.or_zero("size") : 0.0,
                      is_made(row) && !lines.contains(row->shrunk_from));
  };
  return *std::min_element(rows.begin(), rows.end(), [&](auto* a, auto* b) { return order(a) < order(b); });
}

bool have_a_line_in_common(const Defect& a, const Defect& b) {
  return std::any_of(a.lines.begin(), a.lines.end(), [&](const SourceLine& line) {
    return std::find(b.lines.begin(), b.lines.end(), line) != b.lines.end();
  });
}

// Whether the lines are where the kernel did wrong, not only where a wrong value came from.
bool names_a_line(const Defect& defect) { return is_cause(defect.kind) || defect.kind == Kind::crash; }

// Whether two defects are one place to look at, in whatever cases they show: a line of the source where several things
// are wrong, or an output that loses NaN and infinities, wherever each was first made, by the smallest cases of both.
bool is_one_place(const std::pair<const Defect, Seen>& one, const std::pair<const Defect, Seen>& other) {
  const Defect &a = one.first, &b = other.first;
  if (a.id != b.id) return false;
  if (names_a_line(a) && names_a_line(b)) return have_a_line_in_common(a, b);
  return a.kind == Kind::nonfinite && b.kind == a.kind && a.subject == b.subject &&
         a.wants_nonfinite == b.wants_nonfinite && is_made(one.second.shown) && is_made(other.second.shown);
}

bool have_a_place_in_common(const Defect& a, const Defect& b) {
  return (!a.subject.empty() && a.subject == b.subject) || have_a_line_in_common(a, b);
}

// An order of all defects, so that none explains itself.
bool explains_more(const Defect& a, const Defect& b) {
  return explains(a.kind) != explains(b.kind) ? explains(a.kind) > explains(b.kind) : a < b;
}

// Which defect a cause is shown by, and which cause comes first: what the kernel does wrong, then what comes of it,
// with ordinary data first.
bool is_before(const std::pair<const Defect, Seen>& a, const std::pair<const Defect, Seen>& b) {
  const auto order = [](const std::pair<const Defect, Seen>& each) {
    const auto& [defect, seen] = each;
    return std::tuple(!is_cause(defect.kind), !has_ordinary_data(seen.shown->c), !is_made(seen.shown));
  };
  return order(a) != order(b) ? order(a) < order(b) : explains_more(a.first, b.first);
}

const Defect* one_for_all(const Defects& defects, const Defect* defect) {
  while (defects.at(*defect).same_as != defect) defect = defects.at(*defect).same_as;
  return defect;
}

void join(Defects& defects, const Defect& a, const Defect& b) {
  const Defect* of_a = one_for_all(defects, &a);
  defects.at(*of_a).same_as = one_for_all(defects, &b);
}

void find_causes(Defects& defects) {
  std::map<std::string, std::set<const Defect*>> by_line;  // what a case shows, on any device
  std::map<std::string, std::set<const Defect*>> made_of;  // what was made of it
  for (auto& [defect, seen] : defects) {
    seen.shown = row_to_show(seen.rows);
    seen.same_as = &defect;
    for (const ResultRow* row : seen.rows) {
      by_line[row->line()].insert(&defect);
      if (is_made(row)) made_of[row->shrunk_from].insert(&defect);
    }
  }
  for (auto& each : defects) {
    auto& [defect, seen] = each;
    bool explained = false;  // by what shrinking found
    if (!is_made(seen.shown))
      for (const ResultRow* row : seen.rows)
        for (const Defect* other : made_of[row->line()])
          if (may_come_of(defect.kind, other->kind)) join(defects, defect, *other), explained = true;
    if (explained) continue;
    const Defect* cause = nullptr;
    for (const Defect* other : by_line[seen.shown->line()]) {
      if (go_together(other->kind, defect.kind)) join(defects, defect, *other);
      if (!explains_more(*other, defect)) continue;
      if (!(is_cause(other->kind) && is_effect(defect.kind)) && !have_a_place_in_common(*other, defect)) continue;
      if (!cause || explains_more(*other, *cause)) cause = other;
    }
    if (cause) join(defects, defect, *cause);
    for (const auto& other : defects)
      if (is_one_place(each, other)) join(defects, defect, other.first);
  }
}

// The row's text about a defect of the cause: the findings of one kind, a tensor's first (a second run repeats them),
// or its detail if it has no findings.
std::string detail_of(const ResultRow& row, Kind kind, const std::set<const Defect*>& of_cause) {
  std::string detail;
  std::set<std::string> subjects;
  for (const Finding& finding : row.findings) {
    if (finding.kind != kind || (!finding.subject.empty() && subjects.contains(finding.subject))) continue;
    const Defect defect = defect_of(row, finding);
    if (std::none_of(of_cause.begin(), of_cause.end(), [&](const Defect* d) { return *d == defect; })) continue;
    subjects.insert(finding.subject);
    detail += (detail.empty() ? "" : "; ") + finding.detail;
  }
  return detail.empty() ? row.detail : detail;
}

// `root` and the defects that it explains, as one.
Cause cause_of(const Defects& defects, const Defect& root, const std::set<const Defect*>& of_cause) {
  Cause cause{root.kind, "", {}, {}, 0, ""};
  const ResultRow* shown = defects.at(root).shown;
  cause.detail = detail_of(*shown, root.kind, of_cause);
  std::set<const ResultRow*> rows;
  std::map<std::tuple<int, std::string>, AlsoSeen> also;
  for (const Defect* defect : of_cause) {
    const Seen& seen = defects.at(*defect);
    rows.insert(seen.rows.begin(), seen.rows.end());
    if (defect->kind == root.kind) continue;
    const ResultRow* row = seen.shown;
    const char* where = row->line() == shown->line() ? "" : "in another case: ";
    also[{-explains(defect->kind), row->device}] = {defect->kind, row->device,
                                                    where + detail_of(*row, defect->kind, of_cause)};
  }
  for (auto& [order, each] : also) cause.also.push_back(std::move(each));
  rows.erase(shown);
  cause.rows.assign(rows.begin(), rows.end());  // they lie in one vector, in the order of the plan
  cause.rows.insert(cause.rows.begin(), shown);
  cause.cases = std::count_if(cause.rows.begin(), cause.rows.end(),
                              [](const ResultRow* row) { return row->shrunk_from.empty(); });
  return cause;
}

}  // namespace

std::vector<Cause> causes(const std::vector<ResultRow>& rows) {
  Defects defects;
  for (const ResultRow& row : rows)
    for (Defect& defect : defects_of(row)) defects[std::move(defect)].rows.push_back(&row);
  find_causes(defects);
  std::map<const Defect*, std::set<const Defect*>> groups;
  for (const auto& [defect, seen] : defects) groups[one_for_all(defects, &defect)].insert(&defect);
  const auto before = [&](const Defect* a, const Defect* b) {
    return a->id != b->id ? a->id < b->id : is_before(*defects.find(*a), *defects.find(*b));
  };
  std::map<const Defect*, const std::set<const Defect*>*, decltype(before)> by_root(before);
  for (const auto& [any, group] : groups) by_root[*std::min_element(group.begin(), group.end(), before)] = &group;
  std::vector<Cause> sorted;
  for (const auto& [root, group] : by_root) {
    sorted.push_back(cause_of(defects, *root, *group));
    sorted.back().shared = what_they_share(sorted.back().rows, rows);
  }
  return sorted;
}

}  // namespace assay
