// Reads and writes the parts of a row as JSON, except access statistics (statistics_json.cpp).
#include "harness/result/parts_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace assay {

using nlohmann::json;

void malformed(const std::string& what) { throw json::other_error::create(501, what, nullptr); }

json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  malformed("'" + text + "' is no number");
}

void to_json(json& out, DType dtype) { out = name(dtype); }
void from_json(const json& in, DType& dtype) {
  const auto known = dtype_from(in.get<std::string>());
  if (!known) malformed("unknown dtype '" + in.get<std::string>() + "'");
  dtype = *known;
}

void to_json(json& out, Kind kind) { out = name(kind); }
void from_json(const json& in, Kind& kind) {
  const auto known = kind_from(in.get<std::string>());
  if (!known) malformed("unknown verdict '" + in.get<std::string>() + "'");
  kind = *known;
}

void to_json(json& out, const Param& param) { out = {param.name(), param.text()}; }
void from_json(const json& in, Param& param) { param = {in.at(0), in.at(1)}; }

void to_json(json& out, const StepChoice& choice) { out = {choice.step, choice.variant}; }
void from_json(const json& in, StepChoice& choice) { choice = {in.at(0), in.at(1)}; }

void to_json(json& out, const Offset& offset) { out = {offset.elements, offset.tensor}; }
void from_json(const json& in, Offset& offset) { offset = {in.at(0), in.at(1)}; }

void to_json(json& out, const Finding& finding) {
  out = {{"kind", finding.kind}, {"detail", finding.detail}};
  if (!finding.subject.empty()) out["subject"] = finding.subject;
}
void from_json(const json& in, Finding& finding) {
  finding = {in.at("kind"), in.at("detail"), in.value("subject", "")};
}

void to_json(json& out, const WorstElement& worst) {
  out = {{"tensor", worst.tensor},
         {"index", worst.index},
         {"got", number_to_json(worst.got)},
         {"want", number_to_json(worst.want)},
         {"error_over_budget", number_to_json(worst.error_over_budget)}};
}
void from_json(const json& in, WorstElement& worst) {
  worst = {in.at("tensor"), in.at("index"), number_from_json(in.at("got")), number_from_json(in.at("want")),
           number_from_json(in.at("error_over_budget"))};
}

void to_json(json& out, const ErrorMap& map) {
  json cells = json::array();
  for (const double cell : map.cells) cells.push_back(number_to_json(cell));
  out = {{"tensor", map.tensor}, {"shape", map.shape}, {"rows", map.rows}, {"cols", map.cols}, {"cells", cells}};
}
void from_json(const json& in, ErrorMap& map) {
  map = {in.at("tensor"), in.at("shape"), in.at("rows"), in.at("cols"), {}};
  for (const json& cell : in.at("cells")) map.cells.push_back(number_from_json(cell));
  const bool fits = map.rows >= 0 && map.cols >= 0 && map.rows <= 64 && map.cols <= 64 &&
                    map.cells.size() == static_cast<size_t>(map.rows) * static_cast<size_t>(map.cols);
  if (!fits) malformed("the map of '" + map.tensor + "' does not have rows × cols cells, at most 64 × 64");
}

void to_json(json& out, const Timing& timing) {
  json samples = json::array();
  for (const TimingSample& sample : timing.samples) {
    samples.push_back({sample.us, sample.sm_mhz});
    if (sample.discarded || sample.process > 0) samples.back().push_back(sample.discarded ? 1 : 0);
    if (sample.process > 0) samples.back().push_back(sample.process);
  }
  out = {{"gpu", timing.gpu},           {"roof", timing.roof}, {"vendor", timing.vendor},
         {"verified", timing.verified}, {"end", timing.end},   {"samples", samples}};
  if (!timing.no_library.empty()) out["no_library"] = timing.no_library;
}
void from_json(const json& in, Timing& timing) {
  timing = {in.at("gpu"), in.at("roof"), in.at("vendor"), in.at("verified"), in.at("end"), {}, in.value("no_library", "")};
  for (const json& entry : in.at("samples"))
    timing.samples.push_back({entry.at(0), entry.at(1), entry.size() > 2 && entry.at(2) == 1,
                              entry.size() > 3 ? entry.at(3).get<int>() : 0});
}

}  // namespace assay
