// RunInfo as JSON, both ways. The order here is the order in the file.
#include "harness/report/run_info.h"

#include <nlohmann/json.hpp>

namespace assay {
namespace {

// The fields by name, once for both directions: `visit(name, field)` for each.
template <class Info, class Visit>
void for_each_field(Info& info, Visit visit) {
  visit("version", info.version);
  visit("git_commit", info.git_commit);
  visit("command", info.command);
  visit("suite", info.suite);
  visit("seed", info.seed);
  visit("device", info.device);
  visit("jobs", info.jobs);
  visit("started", info.started);
  visit("seconds", info.seconds);
  visit("host_cpu", info.host_cpu);
  visit("host_cores", info.host_cores);
  visit("host_os", info.host_os);
  visit("compiler", info.compiler);
  visit("status", info.status);
  visit("cases_planned", info.cases_planned);
}

template <class Gpu, class Visit>
void for_each_gpu_field(Gpu& gpu, Visit visit) {
  visit("index", gpu.index);
  visit("name", gpu.name);
  visit("uuid", gpu.uuid);
  visit("capability", gpu.capability);
  visit("driver", gpu.driver);
  visit("runtime", gpu.runtime);
  visit("multiprocessors", gpu.multiprocessors);
  visit("memory_bytes", gpu.memory_bytes);
  visit("l2_bytes", gpu.l2_bytes);
  visit("sm_mhz", gpu.sm_mhz);
  visit("memory_bytes_per_s", gpu.memory_bytes_per_s);
}

template <class R, class Visit>
void for_each_roof_field(R& roof, Visit visit) {
  visit("name", roof.name);
  visit("unit", roof.unit);
  visit("measured", roof.measured);
  visit("physical", roof.physical);
}

// Writes each field that `for_each` visits of `from`.
template <class T, class ForEach>
nlohmann::json object_of(const T& from, ForEach for_each) {
  nlohmann::json json = nlohmann::json::object();
  for_each(from, [&](const char* name, const auto& field) { json[name] = field; });
  return json;
}

template <class T, class ForEach>
void read_object(const nlohmann::json& json, T& to, ForEach for_each) {
  for_each(to, [&](const char* name, auto& field) { json.at(name).get_to(field); });
}

}  // namespace

nlohmann::json to_json(const RunInfo& info) {
  nlohmann::json json = object_of(info, [](auto& from, auto visit) { for_each_field(from, visit); });
  if (info.gpu) json["gpu"] = object_of(*info.gpu, [](auto& from, auto visit) { for_each_gpu_field(from, visit); });
  for (const Roof& roof : info.roofs)
    json["roofs"].push_back(object_of(roof, [](auto& from, auto visit) { for_each_roof_field(from, visit); }));
  if (!info.libraries.empty()) json["libraries"] = info.libraries;
  return json;
}

RunInfo run_info_from_json(const nlohmann::json& json) {
  RunInfo info;
  read_object(json, info, [](auto& to, auto visit) { for_each_field(to, visit); });
  if (const auto gpu = json.find("gpu"); gpu != json.end())
    read_object(*gpu, info.gpu.emplace(), [](auto& to, auto visit) { for_each_gpu_field(to, visit); });
  if (const auto roofs = json.find("roofs"); roofs != json.end())
    for (const auto& roof : *roofs)
      read_object(roof, info.roofs.emplace_back(), [](auto& to, auto visit) { for_each_roof_field(to, visit); });
  if (const auto libraries = json.find("libraries"); libraries != json.end()) libraries->get_to(info.libraries);
  return info;
}

}  // namespace assay
