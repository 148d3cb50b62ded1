// run.json: where a run's results come from.
#include <nlohmann/json.hpp>

#include "harness/report/run_info.h"

namespace assay {
namespace {

std::string render(const Report& report) {
  return to_json(report.info).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

const RegisterSink kSink({"run.json", "", "the command, seed, machine and state of the run", render});

}  // namespace
}  // namespace assay
