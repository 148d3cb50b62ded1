// A run's results as data, and the sinks that print it. A sink is a pure function of the report: sorted, no clock, no
// address, so that each is tested against a golden file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/build/coverage/coverage.h"
#include "harness/base/error.h"
#include "harness/device/cuda/gpu_info.h"
#include "harness/device/timing.h"
#include "harness/report/over_time.h"
#include "harness/result/row.h"

namespace assay {

// The content of run.json: where a run's results come from.
struct RunInfo {
  std::string version;     // of assay
  std::string git_commit;  // of the repository the run was started in; empty when there is none
  std::string command;     // as typed, shell-quoted
  std::string suite;
  uint64_t seed = 0;
  std::string device;
  int jobs = 1;
  std::string started;  // UTC, "2026-01-31T12:00:00Z"
  double seconds = 0;
  std::string host_cpu;
  int host_cores = 0;
  std::string host_os;
  std::string compiler;
  std::string plan = {};     // Plan::digest(); "": of a run that had none
  std::string shard = {};    // "2/4"; "": all of the plan
  std::string program = {};  // what ran: a digest of the program, its libraries and kernels
  std::string folder = {};   // that it was started in, absolute
  std::string status;        // "complete", "interrupted" (Ctrl-C), "out of time" (--budget), kRunning or kNotWritten
  int64_t cases_planned = 0;
  // The cases that the adapters and ops of the run leave out, one sentence each: kinds of data that are not meant, and
  // attributes that nothing names.
  std::vector<std::string> scope = {};
  std::optional<Coverage> coverage = {};  // of the user's kernels, where it was asked for
  // These are set only where the run used a GPU.
  std::optional<GpuInfo> gpu = {};
  std::vector<Roof> roofs = {};
  std::map<std::string, std::string> libraries = {};  // the vendor's, by name: {"cuBLAS", "13.0.2"}
};

// The status of a run that goes on, or that was killed.
inline constexpr const char* kRunning = "running";
// How the status of a run begins whose report could not be written where it was asked for; then where.
inline constexpr const char* kNotWritten = "not written to ";
// How the status of shards begins that were merged without some of them.
inline constexpr const char* kShardsMissing = "shards missing: ";
inline bool is_complete(const RunInfo& info) { return info.status == "complete"; }

struct Report {
  RunInfo info;
  std::vector<ResultRow> rows;  // in the order of the plan; rows made by shrinking follow the row they came from
  OverTime over_time = {};      // what earlier runs were
};

// One output format. Register with a static RegisterSink in the sink's own file.
struct Sink {
  std::string file_name;  // "results.csv": its name inside --out
  std::string option;     // "csv": `assay report --csv` writes only this and others so named; "": no such option
  std::string holds;      // one sentence for the help text
  std::function<std::string(const Report&)> render;
};

struct RegisterSink {
  explicit RegisterSink(Sink sink);
};

const std::vector<Sink>& sinks();  // sorted by file name

inline constexpr const char* kRunFile = "run.json";
inline constexpr const char* kRowsFile = "results.jsonl";

// run.json alone, completely or not at all.
Result<void> write_run_info(const RunInfo& info, const std::string& directory);

// Writes every sink's file into `directory` (created if missing), each completely or not at all (a temporary file is
// renamed), and run.json last: while it still says that the run goes on, the others may not be this run's. Stops at the
// first error, which names the file and the reason, and then leaves no page that looks like that of a whole run.
Result<void> write_report(const Report& report, const std::string& directory);

// Removes the files that sinks wrote there, except the rows and run.json.
Result<void> remove_pages(const std::string& directory);

// Reads results.jsonl and run.json from a directory that write_report (or an interrupted run) left; or the file of rows
// that `directory` is, and run.json beside it. A torn last line of
// results.jsonl, as a killed process leaves it, is skipped; any other malformed line is an error with its number.
Result<Report> read_report(const std::string& directory);

}  // namespace assay
