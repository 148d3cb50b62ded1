// Which defects are shrunk, from which row, and what their smallest cases show in the checked build.
#include "harness/search/shrink_defects.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/result/defect.h"

namespace assay {
namespace {

int64_t size_of(const ResultRow& row) { return element_count(*find_op(row.c.op), row.c); }

struct Found {
  Defect defect;
  size_t smallest = 0;  // the row with the fewest elements, the first of those
};

std::vector<Found> find_defects(const std::vector<ResultRow>& rows) {
  std::map<Defect, std::pair<int64_t, size_t>> smallest;
  for (size_t i = 0; i < rows.size(); ++i)
    for (const Defect& defect : defects_of(rows[i])) {
      const std::pair candidate{size_of(rows[i]), i};
      const auto [at, added] = smallest.try_emplace(defect, candidate);
      if (!added) at->second = std::min(at->second, candidate);
    }
  std::vector<Found> found;
  for (const auto& [defect, row] : smallest) found.push_back({defect, row.second});
  return found;
}

// By variant, the first of each kind before the second of any, and what explains most first.
std::vector<Found> in_turn(std::vector<Found> found) {
  const auto first = [](const Found& f) { return std::tuple(f.defect.id, -explains(f.defect.kind), f.smallest); };
  std::stable_sort(found.begin(), found.end(), [&](const Found& a, const Found& b) { return first(a) < first(b); });
  std::map<std::pair<std::string, Kind>, size_t> of_kind;
  std::vector<std::pair<size_t, Found>> numbered;
  for (Found& each : found) {
    const size_t number = of_kind[{each.defect.id, each.defect.kind}]++;
    numbered.emplace_back(number, std::move(each));
  }
  std::stable_sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.defect.id, a.first) < std::tie(b.second.defect.id, b.first);
  });
  found.clear();
  for (auto& [number, each] : numbered) found.push_back(std::move(each));
  return found;
}

class Shrinking {
 public:
  Shrinking(const std::vector<ResultRow>& rows, const DefectShrinking& with) : rows_(rows), with_(with) {}

  void shrink(const Found& found) {
    // A smaller case that was found for another defect may show this one too.
    size_t after = found.smallest;
    ResultRow start = rows_[after];
    bool announced = true;
    for (const ShrunkRow& earlier : made)
      if (shows(earlier.row, found.defect) && size_of(earlier.row) < size_of(start))
        after = earlier.after, start = earlier.row, announced = false;
    if (announced) with_.begins(start);
    auto smallest = with_.shrink(start, [&](const ResultRow& row) { return shows(row, found.defect); });
    if (smallest && !start.shrunk_from.empty()) smallest->shrunk_from = start.shrunk_from;
    const ResultRow& shown = smallest ? *smallest : start;
    if (announced || smallest) with_.ends(start, shown);
    if (smallest) add(after, *smallest);
    if (is_effect(found.defect.kind)) look_for_cause(after, shown);
  }

  std::vector<ShrunkRow> made;

 private:
  static bool same_run(const ResultRow& a, const ResultRow& b) { return a.device == b.device && a.line() == b.line(); }

  bool is_there(const ResultRow& row) const {
    return std::any_of(made.begin(), made.end(), [&](const ShrunkRow& m) { return same_run(m.row, row); });
  }
  void add(size_t after, ResultRow row) {
    if (!is_there(row)) made.push_back({after, std::move(row)});
  }

  void look_for_cause(size_t after, const ResultRow& shown) {
    const bool is_swept = std::any_of(rows_.begin(), rows_.end(), [&](const ResultRow& row) {
      return row.device == kCheckedDevice && row.id() == shown.id();
    });
    if (!is_swept || shown.device == kCheckedDevice || with_.stopped()) return;
    ResultRow checked = with_.run(shown.c, kCheckedDevice);
    const auto defects = defects_of(checked);
    if (std::none_of(defects.begin(), defects.end(), [](const Defect& d) { return is_cause(d.kind); })) return;
    checked.shrunk_from = shown.shrunk_from.empty() ? shown.line() : shown.shrunk_from;
    if (std::none_of(rows_.begin(), rows_.end(), [&](const ResultRow& row) { return same_run(row, checked); }))
      add(after, std::move(checked));
  }

  const std::vector<ResultRow>& rows_;
  const DefectShrinking& with_;
};

}  // namespace

std::vector<ShrunkRow> shrink_defects(const std::vector<ResultRow>& rows, const DefectShrinking& with) {
  Shrinking shrinking(rows, with);
  std::map<std::string, size_t> seen;  // defects by variant
  for (const Found& found : in_turn(find_defects(rows))) {
    if (with.stopped()) break;
    if (seen[found.defect.id]++ < kDefectsShrunkMax) shrinking.shrink(found);
  }
  for (const auto& [id, defects] : seen)
    if (defects > kDefectsShrunkMax) with.left_out(id, defects - kDefectsShrunkMax);
  return std::move(shrinking.made);
}

}  // namespace assay
