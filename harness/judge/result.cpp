// Result rows as JSON: the line of results.jsonl, and what a worker sends to its parent.
//
// JSON has no NaN or infinity, which are the very values a wrong kernel produces, so they travel as the strings "nan",
// "inf" and "-inf". Reading is strict: a row that does not make sense is an exception, never a row with holes.
#include "harness/judge/result.h"

#include <nlohmann/json.hpp>

#include "harness/judge/number_json.h"
#include "harness/judge/statistics_json.h"
#include "harness/judge/timing_json.h"

namespace assay {
namespace {

using nlohmann::json;

[[noreturn]] void malformed(const std::string& what) { throw json::other_error::create(501, what, nullptr); }

json to_json(const WorstElement& worst) {
  return {{"tensor", worst.tensor},
          {"index", worst.index},
          {"got", number_to_json(worst.got)},
          {"want", number_to_json(worst.want)},
          {"error_over_budget", number_to_json(worst.error_over_budget)}};
}

WorstElement worst_from_json(const json& in) {
  return {in.at("tensor"), in.at("index"), number_from_json(in.at("got")), number_from_json(in.at("want")),
          number_from_json(in.at("error_over_budget"))};
}

json to_json(const ErrorMap& map) {
  json cells = json::array();
  for (const double cell : map.cells) cells.push_back(number_to_json(cell));
  return {{"tensor", map.tensor}, {"shape", map.shape}, {"rows", map.rows}, {"cols", map.cols}, {"cells", cells}};
}

ErrorMap map_from_json(const json& in) {
  ErrorMap map{in.at("tensor"), in.at("shape"), in.at("rows"), in.at("cols"), {}};
  for (const auto& cell : in.at("cells")) map.cells.push_back(number_from_json(cell));
  const bool fits = map.rows >= 0 && map.cols >= 0 && map.rows <= 64 && map.cols <= 64 &&
                    map.cells.size() == static_cast<size_t>(map.rows) * static_cast<size_t>(map.cols);
  if (!fits) malformed("the map of '" + map.tensor + "' does not have rows × cols cells, at most 64 × 64");
  return map;
}

template <class T, class ToJson>
void add_unless_empty(json& row, const char* field, const std::vector<T>& items, ToJson to_json_of) {
  for (const T& item : items) row[field].push_back(to_json_of(item));
}

template <class T, class FromJson>
std::vector<T> list_from_json(const json& row, const char* field, FromJson from_json_of) {
  std::vector<T> items;
  if (const auto found = row.find(field); found != row.end())
    for (const json& item : *found) items.push_back(from_json_of(item));
  return items;
}

}  // namespace

ResultRow row_for(const Case& c, const std::string& device, Kind verdict, std::string detail) {
  ResultRow row;
  row.case_line = print(c);
  row.op = c.op;
  row.variant = c.variant;
  row.dtype = c.dtype;
  row.device = device;
  row.verdict = verdict;
  row.detail = std::move(detail);
  return row;
}

nlohmann::json to_json(const ResultRow& row) {
  json out{{"case", row.case_line},          {"op", row.op},
           {"variant", row.variant},         {"dtype", name(row.dtype)},
           {"device", row.device},           {"verdict", name(row.verdict)},
           {"detail", row.detail},           {"error_over_budget", number_to_json(row.error_over_budget)},
           {"shrunk_from", row.shrunk_from}, {"seconds", number_to_json(row.seconds)}};
  if (row.either_way != 0) out["either_way"] = row.either_way;
  add_unless_empty(out, "worst", row.worst, [](const WorstElement& worst) { return to_json(worst); });
  add_unless_empty(out, "maps", row.maps, [](const ErrorMap& map) { return to_json(map); });
  add_unless_empty(out, "power", row.power, [](const PowerProbe& probe) {
    return json{{"wrong_output", probe.wrong_output}, {"noticed", probe.noticed}};
  });
  if (row.statistics) out["statistics"] = to_json(*row.statistics);
  if (row.timing) out["timing"] = to_json(*row.timing);
  return out;
}

ResultRow row_from_json(const nlohmann::json& in) {
  ResultRow row;
  row.case_line = in.at("case");
  row.op = in.at("op");
  row.variant = in.at("variant");
  const auto dtype = dtype_from(in.at("dtype").get<std::string>());
  if (!dtype) malformed("unknown dtype '" + in.at("dtype").get<std::string>() + "'");
  row.dtype = *dtype;
  row.device = in.at("device");
  const auto verdict = kind_from(in.at("verdict").get<std::string>());
  if (!verdict) malformed("unknown verdict '" + in.at("verdict").get<std::string>() + "'");
  row.verdict = *verdict;
  row.detail = in.at("detail");
  row.error_over_budget = number_from_json(in.at("error_over_budget"));
  row.shrunk_from = in.at("shrunk_from");
  row.seconds = number_from_json(in.at("seconds"));
  row.either_way = in.value("either_way", int64_t{0});
  row.worst = list_from_json<WorstElement>(in, "worst", worst_from_json);
  row.maps = list_from_json<ErrorMap>(in, "maps", map_from_json);
  row.power = list_from_json<PowerProbe>(in, "power", [](const json& probe) {
    return PowerProbe{probe.at("wrong_output"), probe.at("noticed")};
  });
  if (const auto found = in.find("statistics"); found != in.end()) row.statistics = statistics_from_json(*found);
  if (const auto found = in.find("timing"); found != in.end()) row.timing = timing_from_json(*found);
  return row;
}

}  // namespace assay
