// The parts that both kinds of `assay bench` share: rows that stream, a budget, and rows of an earlier run that are
// kept.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/bench/bench_plan.h"
#include "harness/bench/measure_options.h"
#include "harness/cli/cli.h"
#include "harness/cli/progress.h"
#include "harness/report/report.h"
#include "harness/report/run_folder.h"

namespace assay {

class BenchRun {
 public:
  // `earlier`: rows of the run that is resumed, which are in the folder.
  BenchRun(const BenchArguments& arguments, std::string device, RunFolder& folder, std::vector<ResultRow> earlier,
           int64_t rows_planned);

  const BenchArguments& arguments() const { return arguments_; }
  const std::string& device() const { return device_; }

  // The row of a case that the earlier run finished.
  const ResultRow* earlier(const Case& c) const;
  void kept(const ResultRow& row);  // counts a row of the earlier run as one of this
  void done(const ResultRow& row);  // a new row is there: it is streamed and counted
  void say(const std::string& text) { progress_.say(text); }
  // Whether nothing new may start: Ctrl-C, or the budget is spent.
  bool over();
  bool interrupted() const;

  std::string status() const;  // as RunInfo has it
  void end() { progress_.clear(); }

 private:
  void write(const ResultRow& row);

  const BenchArguments& arguments_;
  std::string device_;
  RunFolder& folder_;
  std::map<std::string, ResultRow> earlier_;  // by case line
  Progress progress_;
  std::optional<Error> write_error_;
  bool out_of_time_ = false;
};

MeasureOptions measure_options(const BenchArguments& arguments);

// --dry-run: the lines in their order, until when each is done by a model of a GPU (forecast.h), and which of them the
// budget leaves out. Runs nothing.
Result<int> show_bench_plan(const BenchArguments& arguments, const Suite& suite);

// Each fills `report` with the plan's rows, in its order, and prints all output except the outcome.
void bench_times(const BenchPlan& plan, BenchRun& run, Report& report);    // on a GPU
void bench_figures(const BenchPlan& plan, BenchRun& run, Report& report);  // without one; no time is in what it prints

}  // namespace assay
