// run.json: where a run's results come from.
#include "harness/report/run_info.h"

namespace assay {
namespace {

const RegisterSink kSink({kRunFile, "", "the command, seed, machine and state of the run",
                          [](const Report& report) { return run_info_text(report.info); }});

}  // namespace
}  // namespace assay
