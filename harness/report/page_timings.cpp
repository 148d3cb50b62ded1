// Gathers tables and charts of timings; the scripts only draw them.
#include "harness/report/page_timings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/report/page_number.h"
#include "harness/report/performance.h"
#include "harness/report/roofline.h"
#include "harness/report/text.h"

namespace assay {
namespace {

using nlohmann::json;

// More digits than are shown, so that nothing is rounded twice.
json precise(double value) { return figure(value, 7); }

json timing_of(const TimedRow& timed) {
  const ResultRow& row = *timed.row;
  const Timing& timing = *row.timing;
  const FigureValues& figures = row.figures;
  const double roof_us = figures["of_roof"] * figures["median_us"];  // what the case would take at its roof
  json out{{"case", printable(row.line())},
           {"op", row.c.op},
           {"dtype", name(row.c.dtype)},
           {"shape", printable(timed.shape)},
           {"variant", printable(row.c.variant)},
           {"is_vendor", !row.origin.library.empty()},
           {"verdict", name(row.verdict)},
           {"bytes", figure(figures["compulsory_bytes"], 15)},
           {"roof", printable(timing.roof)},
           {"of_roof_low", precise(roof_us / figures["high_us"])},
           {"of_roof_high", precise(roof_us / figures["low_us"])},
           {"vendor", printable(timing.vendor)},
           {"no_library", printable(timing.no_library)},
           {"kept", static_cast<int64_t>(figures.or_zero("samples"))},
           {"discarded", static_cast<int64_t>(figures.or_zero("discarded"))},
           {"processes", processes_of(timing)},
           {"end", printable(timing.end)},
           {"verified", timing.verified}};
  for (size_t i = 0; i < kFigures.size(); ++i)
    if (kFigures[i].shown & kTimings) out[kFigures[i].name] = precise(figures.at(i));
  return out;
}

json clocks_of(const CaseClocks& clocks) {
  return {{"op", clocks.op},
          {"dtype", name(clocks.dtype)},
          {"shape", printable(clocks.shape)},
          {"samples", clocks.samples},
          {"discarded", clocks.discarded},
          {"lowest_mhz", precise(clocks.lowest_mhz)},
          {"median_mhz", precise(clocks.median_mhz)},
          {"highest_mhz", precise(clocks.highest_mhz)}};
}

// [[x, y], [x, y]], or null.
json points_of(const std::optional<RoofLine>& line) {
  if (!line) return json();
  return {{precise(line->x0), precise(line->y0)}, {precise(line->x1), precise(line->y1)}};
}

// The roofs over the intensities that occur; none where nothing can be compared with them.
json roofs_of(const std::vector<Roof>& roofs, const std::vector<TimedRow>& rows) {
  double x_min = std::numeric_limits<double>::quiet_NaN(), x_max = x_min;
  for (const TimedRow& timed : rows) {
    x_min = std::fmin(x_min, timed.row->figures["intensity"]);  // fmin and fmax pass over NaN
    x_max = std::fmax(x_max, timed.row->figures["intensity"]);
  }
  json out = json::array();
  if (std::isnan(x_min)) return out;
  for (const RoofLines& roof : roofline(roofs, x_min, x_max))
    out.push_back({{"label", printable(roof.label)},
                   {"measured", points_of(roof.measured)},
                   {"physical", points_of(roof.physical)}});
  return out;
}

}  // namespace

json performance_of(const Report& report) {
  const std::vector<TimedRow> rows = timed_rows(report);
  json out{{"timings", json::array()}, {"best", json::array()}, {"clocks", json::array()}};
  for (const TimedRow& timed : rows) out["timings"].push_back(timing_of(timed));
  for (const TimedRow* best : best_of_ops(rows)) out["best"].push_back(best - rows.data());
  for (const CaseClocks& clocks : case_clocks(rows)) out["clocks"].push_back(clocks_of(clocks));
  out["roofs"] = roofs_of(report.info.roofs, rows);
  out["left_out"] = json::array();
  for (const LeftOut& each : left_out(report))
    out["left_out"].push_back({{"verdict", name(each.verdict)},
                               {"reason", printable(each.reason)},
                               {"rows", each.rows},
                               {"example", printable(each.example)}});
  return out;
}

}  // namespace assay
