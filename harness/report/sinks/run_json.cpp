// run.json: where a run's results come from, its verdict, and its bugs (causes.h) by their smallest cases.
#include <nlohmann/json.hpp>

#include "harness/report/causes.h"
#include "harness/report/run_info.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

nlohmann::json bugs_of(const Report& report) {
  nlohmann::json bugs = nlohmann::json::array();
  for (const Cause& cause : causes(report.rows)) {
    const ResultRow& row = *cause.rows.front();
    bugs.push_back({{"verdict", name(cause.kind)},
                    {"case", row.line()},
                    {"device", row.device},
                    {"detail", cause.detail},
                    {"cases", cause.cases},
                    {"shared", cause.shared},
                    {"replay", replay_command(row)}});
  }
  return bugs;
}

const RegisterSink kSink({kRunFile, "", "the command, seed, machine, state and verdict of the run, and its bugs",
                          run_json});

}  // namespace

std::string run_json(const Report& report) {
  nlohmann::json json = to_json(report.info);
  const Summary summary = summarise(report);
  json["outcome"] = name(summary.outcome);
  json["headline"] = summary.headline;
  if (auto bugs = bugs_of(report); !bugs.empty()) json["bugs"] = std::move(bugs);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace assay
