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

}  // namespace

nlohmann::json to_json(const RunInfo& info) {
  nlohmann::json json = nlohmann::json::object();
  for_each_field(info, [&](const char* name, const auto& field) { json[name] = field; });
  return json;
}

RunInfo run_info_from_json(const nlohmann::json& json) {
  RunInfo info;
  for_each_field(info, [&](const char* name, auto& field) { json.at(name).get_to(field); });
  return info;
}

}  // namespace assay
