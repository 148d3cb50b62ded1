// Which defects are shrunk, from which row, and what their smallest cases show in the checked build.
#include "harness/search/shrink_defects.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/result/defect.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr size_t kLookedAtMax = 32;  // rows of a defect that are asked whether another bug explains them
constexpr uint64_t kSchedules = 6;

int64_t size_of(const ResultRow& row) { return element_count(*find_op(row.c.op), row.c); }

struct Found {
  Defect defect;
  std::vector<size_t> rows;  // that show it: ordinary data first, then the fewest elements
  bool ordinary = false;     // some have ordinary data
};

std::vector<Found> find_defects(const std::vector<ResultRow>& rows) {
  using Order = std::tuple<bool, int64_t, size_t>;
  std::map<Defect, std::vector<Order>> by_defect;
  for (size_t i = 0; i < rows.size(); ++i)
    for (const Defect& defect : defects_of(rows[i]))
      by_defect[defect].emplace_back(!has_ordinary_data(rows[i].c), size_of(rows[i]), i);
  std::vector<Found> found;
  for (auto& [defect, orders] : by_defect) {
    std::ranges::sort(orders);
    found.push_back({defect, {}, !std::get<0>(orders.front())});
    for (const Order& order : orders) found.back().rows.push_back(std::get<2>(order));
  }
  return found;
}

// Sorts by variant, the first of each kind before the second of any: first defects that ordinary data show, because
// they explain those of other data, then those that explain most, but a wrong number before NaN or infinities. Those
// that go together are all first: few of them are shrunk.
std::vector<Found> in_turn(std::vector<Found> found) {
  const auto first = [](const Found& f) {
    const bool special = is_effect(f.defect.kind) && (!f.ordinary || f.defect.kind == Kind::property);
    const bool none = f.defect.kind == Kind::nonfinite;
    return std::tuple(f.defect.id, special, -explains(none ? Kind::mismatch : f.defect.kind), none, f.rows.front());
  };
  std::ranges::stable_sort(found, [&](const Found& a, const Found& b) { return first(a) < first(b); });
  std::map<std::pair<std::string, Kind>, size_t> of_kind;
  std::vector<std::pair<size_t, Found>> numbered;
  for (Found& each : found) {
    const Kind kind = each.defect.kind;
    const size_t number = go_together(kind, kind) ? 0 : of_kind[{each.defect.id, kind}]++;
    numbered.emplace_back(number, std::move(each));
  }
  std::ranges::stable_sort(numbered, [](const auto& a, const auto& b) {
    return std::tie(a.second.defect.id, a.first) < std::tie(b.second.defect.id, b.first);
  });
  found.clear();
  for (auto& [number, each] : numbered) found.push_back(std::move(each));
  return found;
}

// The same launch with ordinary data.
std::vector<Case> with_ordinary_data(const Case& c) {
  std::vector<Case> plain;
  for (const char* fill : {"normal", "integers"})
    for (const uint64_t seed : {c.seed, c.seed + 1}) {
      plain.push_back(c);
      plain.back().fill = fill;
      plain.back().seed = seed;
      plain.back().nonzero.reset();
    }
  std::erase_if(plain, [&](const Case& each) {
    return each == c || !find_fill(each.fill) || !admits(*find_op(c.op), *find_fill(each.fill));
  });
  return plain;
}

// Some of many, all over them.
std::vector<size_t> sample(const std::vector<size_t>& all) {
  if (all.size() <= kLookedAtMax) return all;
  std::vector<size_t> some;
  for (size_t i = 0; i < kLookedAtMax; ++i) some.push_back(all[i * all.size() / kLookedAtMax]);
  return some;
}

class Shrinking {
 public:
  Shrinking(const std::vector<ResultRow>& rows, const DefectShrinking& with) : rows_(rows), with_(with) {}

  // Whether it took the time of shrinking.
  bool shrink(const Found& found) {
    if (go_together(found.defect.kind, found.defect.kind)) return shrink_what_goes_together(found);
    // A smaller case that was found for another defect may show this one too.
    size_t after = found.rows.front();
    ResultRow start = rows_[after];
    bool announced = true;
    for (const ShrunkRow& earlier : made)
      if (shows(earlier.row, found.defect) && size_of(earlier.row) < size_of(start))
        after = earlier.after, start = earlier.row, announced = false;
    const ResultRow shown =
        smallest_of(start, announced, [&](const ResultRow& row) { return shows(row, found.defect); });
    if (shown.line() != start.line()) add(after, shown);
    if (is_effect(found.defect.kind))
      if (auto cause = cause_of(shown)) add_cause(after, shown, *std::move(cause));
    return true;
  }

  std::vector<ShrunkRow> made;

 private:
  static bool same_run(const ResultRow& a, const ResultRow& b) { return a.device == b.device && a.line() == b.line(); }

  bool is_there(const ResultRow& row) const {
    return std::ranges::any_of(made, [&](const ShrunkRow& m) { return same_run(m.row, row); });
  }
  void add(size_t after, ResultRow row) {
    if (!is_there(row)) made.push_back({after, std::move(row)});
  }

  void add_from(size_t after, ResultRow row) {
    row.shrunk_from = rows_[after].line();
    if (row.line() != row.shrunk_from && std::ranges::none_of(made, [&](const ShrunkRow& m) {
          return same_run(m.row, row) && m.row.shrunk_from == row.shrunk_from;
        }))
      made.push_back({after, std::move(row)});
  }

  static bool is_like(const Defect& a, const Defect& b) {
    return a.id == b.id && a.kind == b.kind && a.wants_nonfinite == b.wants_nonfinite;
  }

  // `start` itself where nothing simpler is the same.
  ResultRow smallest_of(const ResultRow& start, bool announced, const std::function<bool(const ResultRow&)>& same) {
    if (announced) with_.begins(start);
    auto smallest = with_.shrink(start, same);
    if (smallest && !start.shrunk_from.empty()) smallest->shrunk_from = start.shrunk_from;
    const ResultRow& shown = smallest ? *smallest : start;
    if (announced || smallest) with_.ends(start, shown);
    return shown;
  }

  // A wrong value in three outputs, of several dtypes and kinds of data, is one bug unless a case shows otherwise: one
  // that has it and none of the bugs that are known, whatever its data.
  bool shrink_what_goes_together(const Found& found) {
    const Kind kind = found.defect.kind;
    if (std::ranges::any_of(known_, [&](const ResultRow& row) { return shows(row, found.defect); })) return false;
    const std::vector<size_t> some = sample(found.rows);
    const ResultRow* known = nullptr;
    const auto own = [&](size_t i) { return !(known = explaining(rows_[i], kind)); };
    auto witness = std::ranges::find_if(some, own);
    if (witness == some.end()) {
      // The sweep's finding comes from the bug that this case shows.
      add_from(some.front(), *known);
      return false;
    }
    // Another output may show it in a smaller case.
    const auto same = [&](const ResultRow& row) {
      const std::vector<Defect> shown = defects_of(row);
      return std::ranges::any_of(shown, [&](const Defect& d) { return is_like(d, found.defect); }) &&
             !explaining(row, kind);
    };
    ResultRow shown = smallest_of(rows_[*witness], true, same);
    if (auto cause = cause_of(shown)) {
      // Other cases may show it without that cause.
      const auto by_itself = [&](size_t i) { return own(i) && !cause_of(rows_[i]); };
      const auto other = std::ranges::find_if(some, by_itself);
      if (other == some.end()) {
        if (shown.line() != rows_[*witness].line()) add(*witness, shown);
        add_cause(*witness, shown, *std::move(cause));
        return learn(found, std::move(shown));
      }
      witness = other;
      shown = smallest_of(rows_[*witness], true, [&](const ResultRow& row) { return same(row) && !cause_of(row); });
    }
    if (shown.line() != rows_[*witness].line()) add(*witness, shown);
    return learn(found, std::move(shown));
  }

  // If what was found instead does not show the defect, it is looked for again, now that this is known.
  bool learn(const Found& found, ResultRow shown) {
    const bool is_it = shows(shown, found.defect);
    known_.push_back(std::move(shown));
    if (!is_it) shrink_what_goes_together(found);
    return true;
  }

  // The smallest case of a bug that shows in `row` too, or in its launch with ordinary data; null where none does.
  const ResultRow* explaining(const ResultRow& row, Kind kind) const {
    std::vector<const ResultRow*> bugs;
    for (const ResultRow& bug : known_)
      if (bug.id() == row.id()) bugs.push_back(&bug);
    const auto shown_by = [&](const ResultRow& other) -> const ResultRow* {
      for (const ResultRow* bug : bugs)
        for (const Defect& defect : defects_of(*bug))
          if (go_together(defect.kind, kind) && shows(other, defect)) return bug;
      return nullptr;
    };
    if (bugs.empty()) return nullptr;
    if (kind == Kind::property) return bugs.front();
    if (const ResultRow* bug = shown_by(row)) return bug;
    for (const Case& plain : with_ordinary_data(row.c)) {
      if (with_.stopped()) return bugs.front();
      if (const ResultRow* bug = shown_by(with_.run(plain, row.device))) return bug;
    }
    return nullptr;
  }

  // The row of the checked build that names the cause of an effect, where that build is part of the sweep.
  std::optional<ResultRow> cause_of(const ResultRow& shown) const {
    const bool is_swept = std::ranges::any_of(
        rows_, [&](const ResultRow& row) { return row.device == kCheckedDevice && row.id() == shown.id(); });
    if (!is_swept || shown.device == kCheckedDevice || with_.stopped()) return std::nullopt;
    ResultRow checked = with_.run(shown.c, kCheckedDevice);
    const auto defects = defects_of(checked);
    const auto is = [](bool (*of)(Kind)) { return [of](const Defect& d) { return of(d.kind); }; };
    if (std::ranges::none_of(defects, is(is_cause))) return std::nullopt;
    const bool only_race = std::ranges::all_of(defects, is([](Kind kind) { return kind == Kind::race; }));
    if (only_race && fails_alike_in_any_order(shown)) return std::nullopt;
    return checked;
  }

  // The values that a race makes depend on the order in which threads run.
  bool fails_alike_in_any_order(const ResultRow& row) const {
    std::set<std::string> details;
    Case c = row.c;
    for (uint64_t schedule = 0; schedule < kSchedules && details.size() < 2; ++schedule) {
      c.schedule = schedule;
      details.insert(with_.run(c, row.device).detail);
    }
    return details.size() == 1 && !details.contains("");
  }

  void add_cause(size_t after, const ResultRow& shown, ResultRow checked) {
    checked.shrunk_from = shown.shrunk_from.empty() ? shown.line() : shown.shrunk_from;
    if (std::ranges::none_of(rows_, [&](const ResultRow& row) { return same_run(row, checked); }))
      add(after, std::move(checked));
  }

  const std::vector<ResultRow>& rows_;
  const DefectShrinking& with_;
  std::vector<ResultRow> known_;  // smallest cases of bugs that are about values or memory
};

}  // namespace

std::vector<ShrunkRow> shrink_defects(const std::vector<ResultRow>& rows, const DefectShrinking& with) {
  Shrinking shrinking(rows, with);
  std::map<std::string, size_t> shrunk, left;  // defects by variant
  for (const Found& found : in_turn(find_defects(rows))) {
    const std::string& id = found.defect.id;
    if (shrunk[id] >= kDefectsShrunkMax || with.stopped())
      ++left[id];
    else if (shrinking.shrink(found))
      ++shrunk[id];
  }
  for (const auto& [id, defects] : left) with.left_out(id, defects);
  return std::move(shrinking.made);
}

}  // namespace assay
