// Turns samples into decisions about times.
#include "harness/compare/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/rng.h"

namespace assay::comparison {
namespace {

constexpr double kAllMoved = 0.01;  // as a logarithm: worth a note

std::string place_of(const Line& line) { return line.subject + " on " + line.device; }

void note_table(const std::string& metric, const std::vector<Shift>& shifts, double spread,
                std::vector<std::string>& notes) {
  if (shifts.size() < kRowsForSpread) return;
  std::vector<double> all;
  for (const Shift& shift : shifts) all.push_back(shift.log_ratio);
  const double middle = median({all});
  if (std::fabs(middle) > kAllMoved)
    notes.push_back(fmt::format("{}: the rows together moved by {:+.1f} %", metric, 100 * std::expm1(middle)));
  if (spread > kAllMoved)
    notes.push_back(
        fmt::format("{}: rows moved up and down by {:.1f} %, more than their samples explain; "
                    "measure again, or in more processes",
                    metric, 100 * spread));
}

}  // namespace

void Times::add(Line& line, size_t index, const Series& before, const Series& after) {
  line.before = median(before.samples);
  line.after = median(after.samples);
  line.ratio = line.after / line.before;
  if (line.same_code) line.why = "the same machine code";
  const size_t least = std::min(count(before.samples), count(after.samples));
  if (least < kSamplesMin && line.same_code) return;
  if (least < kSamplesMin) {
    line.change = Change::inconclusive;
    line.why = fmt::format("{} samples, {} needed", least, kSamplesMin);
    return;
  }
  const uint64_t seed = Rng::stream(options_.seed, line.subject + line.metric).next();
  sampled_[line.metric].push_back({.index = index,
                                   .shift = shift_of_medians(before.samples, after.samples, seed),
                                   .rank_p = mann_whitney(before.samples, after.samples),
                                   .samples = count(before.samples) + count(after.samples),
                                   .leader = {}});
}

// The better known of time and cycles leads: its p is both's. A mix of clocks gives the other heavy tails.
void Times::find_leaders(const std::vector<Line>& lines) {
  std::map<std::string, Sampled*> cycles;
  for (Sampled& each : sampled_[kCycles]) cycles[place_of(lines[each.index])] = &each;
  for (Sampled& time : sampled_[kTime]) {
    const auto found = cycles.find(place_of(lines[time.index]));
    if (found == cycles.end()) continue;
    Sampled& other = *found->second;
    const bool time_leads = time.shift.standard_error <= other.shift.standard_error;
    (time_leads ? other : time).leader = time_leads ? time.index : other.index;
  }
}

// The spread is a metric's own; false discoveries are the whole table's.
std::vector<std::string> Times::decide(std::vector<Line>& lines) {
  std::vector<std::string> notes;
  std::vector<double> p;
  std::map<size_t, size_t> places;  // of p, by the line's index
  std::map<std::string, double> spreads;
  find_leaders(lines);
  for (const auto& [metric, sampled] : sampled_) {
    std::vector<Shift> shifts;
    for (const Sampled& each : sampled) shifts.push_back(each.shift);
    const double spread = spreads[metric] = spread_between_runs(shifts);
    for (const Sampled& each : sampled) {
      if (each.leader || lines[each.index].same_code) continue;
      places[each.index] = p.size();
      p.push_back(std::max(each.rank_p, shift_p(each.shift, spread, each.samples)));
    }
    note_table(metric, shifts, spread, notes);
  }
  const std::vector<double> adjusted = false_discovery_adjusted(p);
  for (const auto& [metric, sampled] : sampled_)
    for (const Sampled& each : sampled)
      if (!lines[each.index].same_code)
        decide(lines[each.index], widened(each.shift, spreads[metric]),
               adjusted[places.at(each.leader.value_or(each.index))]);
  hold_back_clocks(lines);
  return notes;
}

void Times::decide(Line& line, const Shift& shift, double p) const {
  line.low = std::exp(shift.low);
  line.high = std::exp(shift.high);
  line.p = p;
  const bool large = std::fabs(shift.log_ratio) >= std::log1p(options_.effect_min);
  const bool in_ns = line.unit != "ns" || std::fabs(line.after - line.before) >= options_.ns_min;
  const bool clear = shift.low > 0 || shift.high < 0;
  const double known = std::log1p(options_.resolution);
  if (large && in_ns && clear && p <= options_.false_discoveries) {
    line.change = shift.log_ratio > 0 ? Change::regressed : Change::improved;
  } else if (!in_ns || (shift.high < known && shift.low > -known)) {
    line.change = Change::same;
  } else {
    line.change = Change::inconclusive;
    line.why = fmt::format("a change of {:.3g} % is not ruled out", 100 * options_.resolution);
  }
}

// At another clock, or in another mix of clocks, a kernel that waits for memory takes as long in other cycles, and one
// that computes takes another time in as many cycles: neither has changed. A change that both metrics show is real.
void Times::hold_back_clocks(std::vector<Line>& lines) {
  std::map<std::string, Line*> cycles;
  for (const Sampled& each : sampled_[kCycles]) cycles[place_of(lines[each.index])] = &lines[each.index];
  for (const Sampled& each : sampled_[kTime]) {
    const auto found = cycles.find(place_of(lines[each.index]));
    if (found != cycles.end()) hold_back(lines[each.index], *found->second);
  }
}

// Each counts where the other went at least half as far in its direction as would count by itself.
void Times::hold_back(Line& time, Line& cycles) const {
  const double half = options_.effect_min / 2;
  const auto moved = [&](const Line& line) { return line.ratio > 1 + half ? 1 : line.ratio < 1 / (1 + half) ? -1 : 0; };
  const int both = moved(time) == moved(cycles) ? moved(time) : 0;
  for (Line* line : {&time, &cycles}) {
    const int claimed = line->change == Change::regressed ? 1 : line->change == Change::improved ? -1 : 0;
    if (claimed == 0 || claimed == both) continue;
    line->change = Change::inconclusive;
    line->why = "time and cycles disagree: the clock was another";
  }
}

}  // namespace assay::comparison
