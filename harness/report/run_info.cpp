// Reads and writes RunInfo as JSON.
#include "harness/report/run_info.h"

#include <array>
#include <nlohmann/json.hpp>

#include "harness/result/row_json.h"

namespace assay {

// The fields by name, for both directions.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuInfo, index, name, uuid, capability, driver, runtime, multiprocessors,
                                   memory_bytes, l2_bytes, sm_mhz, memory_bytes_per_s)

// `means` came later: rows of before have none.
void to_json(nlohmann::json& json, const Roof& roof) {
  json = {{"name", roof.name}, {"unit", roof.unit}, {"measured", roof.measured}, {"physical", roof.physical}};
  if (!roof.means.empty()) json["means"] = roof.means;
}
void from_json(const nlohmann::json& json, Roof& roof) {
  json.at("name").get_to(roof.name);
  json.at("unit").get_to(roof.unit);
  json.at("measured").get_to(roof.measured);
  json.at("physical").get_to(roof.physical);
  roof.means = json.value("means", "");
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunInfo, version, git_commit, command, suite, seed, device, jobs, started, seconds,
                                   host_cpu, host_cores, host_os, compiler, status, cases_planned)

// Words that not every run has.
template <class Info>
auto words(Info& info) {
  return std::array{std::pair("folder", &info.folder), std::pair("plan", &info.plan), std::pair("shard", &info.shard),
                    std::pair("program", &info.program)};
}

nlohmann::json to_json(const RunInfo& info) {
  nlohmann::json json = info;
  json["schema"] = kSchema;
  for (const auto& [name, word] : words(info))
    if (!word->empty()) json[name] = *word;
  if (info.gpu) json["gpu"] = *info.gpu;
  if (!info.roofs.empty()) json["roofs"] = info.roofs;
  if (!info.libraries.empty()) json["libraries"] = info.libraries;
  if (!info.scope.empty()) json["scope"] = info.scope;
  if (info.coverage) json["coverage"] = *info.coverage;
  return json;
}

std::string run_info_text(const RunInfo& info) {
  return to_json(info).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<RunInfo> run_info_from_text(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (auto readable = check_schema(json); !readable) return tl::unexpected(readable.error());
    auto info = json.get<RunInfo>();
    for (const auto& [name, word] : words(info))
      if (json.contains(name)) json.at(name).get_to(*word);
    if (json.contains("gpu")) json.at("gpu").get_to(info.gpu.emplace());
    if (json.contains("roofs")) json.at("roofs").get_to(info.roofs);
    if (json.contains("libraries")) json.at("libraries").get_to(info.libraries);
    if (json.contains("scope")) json.at("scope").get_to(info.scope);
    if (json.contains("coverage")) json.at("coverage").get_to(info.coverage.emplace());
    return info;
  } catch (const nlohmann::json::exception& error) {
    return fail(error.what());
  }
}

}  // namespace assay
