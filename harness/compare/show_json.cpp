// A comparison as JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/compare/show.h"
#include "harness/report/run_info.h"
#include "harness/result/parts_json.h"
#include "harness/result/row_json.h"

namespace assay::comparison {
namespace {

nlohmann::json json_of(const Line& line) {
  nlohmann::json out{
      {"change", name(line.change)}, {"variant", line.variant}, {"subject", line.subject}, {"metric", line.metric}};
  const auto add_text = [&](const char* key, const std::string& text) {
    if (!text.empty()) out[key] = text;
  };
  const auto add_number = [&](const char* key, double number) {
    if (!std::isnan(number)) out[key] = number_to_json(number);
  };
  add_text("dtype", line.dtype);
  add_text("device", line.device);
  add_text("unit", line.unit);
  add_number("base", line.before);
  add_number("new", line.after);
  add_number("ratio", line.ratio);
  add_number("low", line.low);
  add_number("high", line.high);
  add_number("p", line.p);
  add_text("why", line.why);
  add_text("source", line.source);
  add_text("again", line.again);
  return out;
}

nlohmann::json json_of(const std::string& path, const RunInfo& info) {
  return {{"path", path}, {"commit", info.git_commit}, {"started", info.started}, {"status", info.status}};
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  nlohmann::json out{{"schema", kSchema},
                     {"outcome", name(outcome(comparison))},
                     {"base", json_of(comparison.before_path, comparison.before)},
                     {"new", json_of(comparison.after_path, comparison.after)},
                     {"notes", comparison.notes},
                     {"counts", nlohmann::json::object()},
                     {"ratios", nlohmann::json::array()},
                     {"lines", nlohmann::json::array()}};
  for (size_t i = 0; i < kChanges; ++i) {
    const auto change = static_cast<Change>(i);
    out["counts"][std::string(name(change))] = comparison.count(change);
  }
  for (const Line& ratio : comparison.ratios) {
    out["ratios"].push_back(json_of(ratio));
    out["ratios"].back().erase("change");
  }
  for (const Line& line : comparison.lines) out["lines"].push_back(json_of(line));
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace assay::comparison
