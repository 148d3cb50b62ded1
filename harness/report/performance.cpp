// Picks, counts and order statistics over timed rows.
#include "harness/report/performance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

// A case without what the variant adds to it, and without its data where they are usual.
std::string shape_of(const Case& c) {
  std::string text;
  for (const Param& param : c.params)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", param.name(), param.text());
  if (c.fill != "normal") text += fmt::format("{}fill={}", text.empty() ? "" : " ", c.fill);
  return text;
}

double bytes_or_none(const TimedRow& timed) {
  const FigureValues& figures = timed.row->figures;
  return figures.has("compulsory_bytes") ? figures["compulsory_bytes"] : -1;
}

struct Clocks {
  CaseClocks of;
  std::vector<double> mhz;
};

CaseClocks finish(Clocks clocks) {
  std::vector<double>& mhz = clocks.mhz;
  if (mhz.empty()) return std::move(clocks.of);
  std::sort(mhz.begin(), mhz.end());
  clocks.of.lowest_mhz = mhz.front();
  clocks.of.median_mhz = (mhz[(mhz.size() - 1) / 2] + mhz[mhz.size() / 2]) / 2;
  clocks.of.highest_mhz = mhz.back();
  return std::move(clocks.of);
}

}  // namespace

std::vector<TimedRow> timed_rows(const Report& report) {
  std::vector<TimedRow> timed;
  for (const ResultRow& row : report.rows)
    if (row.timing && is_case(row)) timed.push_back({&row, shape_of(row.c)});
  return timed;
}

std::vector<LeftOut> left_out(const Report& report) {
  std::vector<LeftOut> reasons;
  if (timed_rows(report).empty()) return reasons;
  for (const ResultRow& row : report.rows) {
    if (row.timing || !is_case(row)) continue;
    const std::string reason(first_line(row.detail));
    auto known = std::find_if(reasons.begin(), reasons.end(), [&](const LeftOut& each) {
      return each.verdict == row.verdict && each.reason == reason;
    });
    if (known == reasons.end()) known = reasons.insert(known, {row.verdict, reason, 0, row.line()});
    ++known->rows;
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const LeftOut& a, const LeftOut& b) { return a.rows > b.rows; });
  return reasons;
}

int64_t processes_of(const Timing& timing) {
  std::set<int> processes;
  for (const TimingSample& sample : timing.samples)
    if (!sample.discarded) processes.insert(sample.process);
  return std::ssize(processes);
}

bool can_be_best(const TimedRow& timed) {
  const ResultRow& row = *timed.row;
  return row.verdict == Kind::pass && row.timing->verified && row.figures["median_us"] > 0 &&
         row.origin.library.empty();
}

std::vector<const TimedRow*> best_of_ops(const std::vector<TimedRow>& rows) {
  std::map<std::pair<std::string, DType>, const TimedRow*> best;
  for (const TimedRow& timed : rows) {
    if (!can_be_best(timed)) continue;
    const TimedRow*& shown = best[{timed.row->c.op, timed.row->c.dtype}];
    const bool larger = !shown || bytes_or_none(timed) > bytes_or_none(*shown);
    const bool faster =
        shown && timed.shape == shown->shape && timed.row->figures["median_us"] < shown->row->figures["median_us"];
    if (larger || faster) shown = &timed;
  }
  std::vector<const TimedRow*> sorted;
  for (const auto& [key, timed] : best) sorted.push_back(timed);
  return sorted;
}

std::vector<CaseClocks> case_clocks(const std::vector<TimedRow>& rows) {
  std::map<std::tuple<std::string, DType, std::string>, size_t> index_of;
  std::vector<Clocks> cases;
  for (const TimedRow& timed : rows) {
    const auto [at, is_new] =
        index_of.emplace(std::tuple(timed.row->c.op, timed.row->c.dtype, timed.shape), cases.size());
    if (is_new) cases.push_back({{.op = timed.row->c.op, .dtype = timed.row->c.dtype, .shape = timed.shape}, {}});
    Clocks& clocks = cases[at->second];
    clocks.of.samples += static_cast<int64_t>(timed.row->timing->samples.size());
    for (const TimingSample& sample : timed.row->timing->samples) {
      clocks.of.discarded += sample.discarded ? 1 : 0;
      if (sample.sm_mhz > 0) clocks.mhz.push_back(sample.sm_mhz);
    }
  }
  std::stable_sort(cases.begin(), cases.end(), [](const Clocks& a, const Clocks& b) {
    return std::tie(a.of.op, a.of.dtype) < std::tie(b.of.op, b.of.dtype);
  });
  std::vector<CaseClocks> finished;
  for (Clocks& clocks : cases) finished.push_back(finish(std::move(clocks)));
  return finished;
}

}  // namespace assay
