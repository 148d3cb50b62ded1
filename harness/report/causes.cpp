// Defects by cause.
#include "harness/report/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace assay {
namespace {

using Rows = std::vector<const ResultRow*>;

struct Seen {
  Rows rows;                      // that show the defect, in the order of the plan
  const Defect* cause = nullptr;  // another defect that explains this one
};
using Defects = std::map<Defect, Seen>;

// Of the rows that shrinking made the smallest, else the first.
const ResultRow* row_to_show(const Rows& rows) {
  const auto order = [](const ResultRow* row) {
    const bool shrunk = !row->shrunk_from.empty();
    return std::pair(!shrunk, shrunk ? row->figures.or_zero("size") : 0.0);
  };
  return *std::min_element(rows.begin(), rows.end(), [&](auto* a, auto* b) { return order(a) < order(b); });
}

bool have_a_place_in_common(const Defect& a, const Defect& b) {
  if (!a.subject.empty() && a.subject == b.subject) return true;
  return std::any_of(a.lines.begin(), a.lines.end(), [&](const SourceLine& line) {
    return std::find(b.lines.begin(), b.lines.end(), line) != b.lines.end();
  });
}

// An order of all defects, so that none explains itself.
bool explains_more(const Defect& a, const Defect& b) {
  return explains(a.kind) != explains(b.kind) ? explains(a.kind) > explains(b.kind) : a < b;
}

// NONFINITE that the same cases show. What shrinking made is left out: it keeps one defect and may lose the other.
bool fail_together(const std::pair<const Defect, Seen>& a, const std::pair<const Defect, Seen>& b) {
  if (a.first.kind != Kind::nonfinite || b.first.kind != Kind::nonfinite || a.first.id != b.first.id) return false;
  const auto found = [](Rows rows) {
    std::erase_if(rows, [](const ResultRow* row) { return !row->shrunk_from.empty(); });
    return rows;
  };
  const Rows cases = found(a.second.rows);
  return !cases.empty() && cases == found(b.second.rows);
}

void find_causes(Defects& defects) {
  std::map<std::string, std::set<const Defect*>> by_line;  // what a case shows, on any device
  for (const auto& [defect, seen] : defects)
    for (const ResultRow* row : seen.rows) by_line[row->line()].insert(&defect);
  for (auto& [defect, seen] : defects)
    for (const Defect* other : by_line[row_to_show(seen.rows)->line()]) {
      if (!explains_more(*other, defect)) continue;
      if (!(is_cause(other->kind) && is_effect(defect.kind)) && !have_a_place_in_common(*other, defect)) continue;
      if (!seen.cause || explains_more(*other, *seen.cause)) seen.cause = other;
    }
  for (auto& each : defects)
    for (const auto& other : defects)
      if (!each.second.cause && explains_more(other.first, each.first) && fail_together(each, other))
        each.second.cause = &other.first;
}

// What the row says about a defect of the cause: all of the findings of one kind, or its detail if it has no findings.
std::string detail_of(const ResultRow& row, Kind kind, const std::set<const Defect*>& of_cause) {
  std::string detail;
  for (const Finding& finding : row.findings) {
    if (finding.kind != kind) continue;
    const Defect defect = defect_of(row, finding);
    if (std::none_of(of_cause.begin(), of_cause.end(), [&](const Defect* d) { return *d == defect; })) continue;
    detail += (detail.empty() ? "" : "; ") + finding.detail;
  }
  return detail.empty() ? row.detail : detail;
}

// `root` and the defects that it explains, as one.
Cause cause_of(const Defects& defects, const Defect& root, const std::set<const Defect*>& of_cause) {
  Cause cause{root.kind, "", {}, {}, 0};
  const ResultRow* shown = row_to_show(defects.at(root).rows);
  cause.detail = detail_of(*shown, root.kind, of_cause);
  std::set<const ResultRow*> rows;
  std::map<std::tuple<int, std::string>, AlsoSeen> also;
  for (const Defect* defect : of_cause) {
    const Seen& seen = defects.at(*defect);
    rows.insert(seen.rows.begin(), seen.rows.end());
    if (defect->kind == root.kind) continue;
    const ResultRow* row = row_to_show(seen.rows);
    also[{-explains(defect->kind), row->device}] = {defect->kind, row->device, detail_of(*row, defect->kind, of_cause)};
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
  std::map<const Defect*, std::set<const Defect*>> by_cause;
  for (const auto& [defect, seen] : defects) {
    const Defect* root = &defect;
    while (const Defect* cause = defects.at(*root).cause) root = cause;  // each explains more than the one before
    by_cause[root].insert(&defect);
  }
  std::vector<const Defect*> roots;
  for (const auto& [root, of_cause] : by_cause) roots.push_back(root);
  std::sort(roots.begin(), roots.end(),
            [](const Defect* a, const Defect* b) { return a->id != b->id ? a->id < b->id : explains_more(*a, *b); });
  std::vector<Cause> sorted;
  for (const Defect* root : roots) sorted.push_back(cause_of(defects, *root, by_cause[root]));
  return sorted;
}

}  // namespace assay
