// Picks, counts and order statistics over timed rows.
#include "harness/report/performance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/op/registry.h"
#include "harness/report/summary.h"

namespace assay {
namespace {

// A case line without what the variant and the data add to it; all of it where it cannot be read.
std::string shape_of(const std::string& case_line) {
  const Result<Case> c = parse_case(case_line);
  if (!c) return case_line;
  std::string text;
  for (const Param& param : c->params) text += fmt::format("{}{}={}", text.empty() ? "" : " ", param.name, param.value);
  if (c->fill != "normal") text += fmt::format("{}fill={}", text.empty() ? "" : " ", c->fill);
  return text;
}

void add_cost(TimedRow& timed) {
  const Result<Case> c = read_case(timed.row->case_line);
  if (!c) return;
  const Contract& contract = *find_op(c->op);
  timed.bytes = static_cast<double>(compulsory_bytes(contract, *c));
  if (contract.flops) timed.flops = contract.flops(*c);
}

double bytes_or_none(const TimedRow& timed) { return std::isnan(timed.bytes) ? -1 : timed.bytes; }

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
  std::set<std::string> vendors;  // of a report from elsewhere, whose libraries are not registered here
  for (const ResultRow& row : report.rows)
    if (row.timing) vendors.insert(row.timing->vendor);
  std::vector<TimedRow> timed;
  for (const ResultRow& row : report.rows) {
    if (!row.timing || !is_case(row)) continue;
    const Variant* variant = find_variant(row.op, row.variant, row.device);
    TimedRow& added = timed.emplace_back();
    added.row = &row;
    added.shape = shape_of(row.case_line);
    added.vendor = (variant && !variant->vendor.empty()) || vendors.count(row.op + "/" + row.variant) > 0;
    added.discarded = std::count_if(row.timing->samples.begin(), row.timing->samples.end(),
                                    [](const TimingSample& sample) { return sample.discarded; });
    add_cost(added);
  }
  return timed;
}

bool can_be_best(const TimedRow& timed) {
  const Timing& timing = *timed.row->timing;
  return timed.row->verdict == Kind::pass && timing.verified && timing.median_us > 0 && !timed.vendor;
}

std::vector<const TimedRow*> best_of_ops(const std::vector<TimedRow>& rows) {
  std::map<std::pair<std::string, DType>, const TimedRow*> best;
  for (const TimedRow& timed : rows) {
    if (!can_be_best(timed)) continue;
    const TimedRow*& shown = best[{timed.row->op, timed.row->dtype}];
    const bool larger = !shown || bytes_or_none(timed) > bytes_or_none(*shown);
    const bool faster =
        shown && timed.shape == shown->shape && timed.row->timing->median_us < shown->row->timing->median_us;
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
    const auto [at, is_new] = index_of.emplace(std::tuple(timed.row->op, timed.row->dtype, timed.shape), cases.size());
    if (is_new) cases.push_back({{.op = timed.row->op, .dtype = timed.row->dtype, .shape = timed.shape}, {}});
    Clocks& clocks = cases[at->second];
    clocks.of.samples += static_cast<int64_t>(timed.row->timing->samples.size());
    clocks.of.discarded += timed.discarded;
    for (const TimingSample& sample : timed.row->timing->samples)
      if (sample.sm_mhz > 0) clocks.mhz.push_back(sample.sm_mhz);
  }
  std::stable_sort(cases.begin(), cases.end(), [](const Clocks& a, const Clocks& b) {
    return std::tie(a.of.op, a.of.dtype) < std::tie(b.of.op, b.of.dtype);
  });
  std::vector<CaseClocks> finished;
  for (Clocks& clocks : cases) finished.push_back(finish(std::move(clocks)));
  return finished;
}

}  // namespace assay
