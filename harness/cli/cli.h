// The command line: `assay check | merge | replay | bench | nightly | report | …`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/base/error.h"
#include "harness/bench/gpu_models.h"
#include "harness/cli/guessed.h"
#include "harness/compare/compare.h"
#include "harness/device/device.h"
#include "harness/search/plan.h"

namespace assay {

// Exit codes. Nothing below main exits by itself.
inline constexpr int kExitPass = 0;          // at least one case ran, nothing failed
inline constexpr int kExitFail = 1;          // something failed
inline constexpr int kExitUsage = 2;         // bad usage or bad input: one line on standard error says what to do
inline constexpr int kExitInconclusive = 3;  // interrupted, out of time, or nothing was judged
inline constexpr int kExitUnread = 141;      // nobody reads the output: a shell's code for the end by SIGPIPE

int cli_main(int argc, char** argv);

class RunFolder;

struct ListArguments {
  std::string what = "ops";  // ops, variants, coverage, suites, fills, devices, resources
  std::string name;          // of ops: a glob, and these in detail; empty: all
};

// Options for kernels in the user's files.
struct KernelArguments {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> more;  // files, and the op of each whatever `op` is
  std::string op;       // that the files' kernels compute; empty: from the adapter or the kernel
  std::string kernel;   // which of a file's; empty: the only one that fits
  std::string entry;    // which string of a file in another language
  std::string adapter;  // the TOML file for the file, or without one for what it names; empty: one beside the file, or
                        // what is inferred
  std::vector<Fixed> fixed = {};  // --fix NAME=VALUE
  CompileOptions compile = {};
};

// The variants that the files gave.
struct LoadedKernels {
  std::vector<std::string> ids;                  // of those whose adapters are known
  std::map<std::string, std::string> files;      // by id: which of the files it is from, as it was given
  Guesses guesses;                               // what adapters assume, so that a failure may be theirs
  std::set<std::string> unmade = {};             // templates that nobody makes in any of their dtypes
  std::map<std::string, std::string> seen = {};  // by id: what was wrong when they were tried
  std::vector<std::string> scope = {};           // RunInfo::scope
};

struct CheckArguments {
  std::vector<std::string> select;  // words that name a file of kernels mean its variants
  KernelArguments kernels;
  std::string suite;              // empty: ci, or kernel when files of kernels are checked
  std::string device;             // empty: gpu where there is one, else cpu, and the suite's share of the checked build
  std::string usual_device = {};  // where `device` is empty; empty: gpu where there is one, else cpu
  int64_t cases = -1;             // per variant and dtype; -1: the suite's
  uint64_t seed = 1;
  PlanPart part = PlanPart::all;
  double budget_s = 0;  // from `begun` on; 0: none
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  double shrink_s = -1;     // for each defect; -1: 15, and for a shard none
  double case_limit_s = 0;  // 0: the suite's
  int jobs = 0;             // 0: one per core
  int gpu = -1;             // the only GPU to use; -1: every worker takes the next
  std::string out = "reports/latest";
  std::string regressions;  // empty: regressions/ beside the suite, or assay_regressions/FILE beside the first file
  std::string save_to;      // where shrunk failures are written; empty: there
  std::string shard;        // "2/4", "auto"; empty: what GTEST_TOTAL_SHARDS says, else all
  std::string resume;       // a folder whose rows are kept; it is then `out` too
  bool save = true;         // write shrunk failures there
  bool stats = false;       // count memory accesses and instructions, in the checked build
  std::string bound_on = kDefaultGpuModel;   // the GPU that bounds are of
  Watching watching = {};                    // and look for more there
  bool coverage = false;                     // count which lines of the files' kernels run
  int64_t aimed = 200;                       // so many further cases of a variant at most, aimed at those that do not
  bool github = false;                       // failures as annotations of GitHub Actions instead of the summary
  bool brief = false;                        // three lines for each bug
  HugeCases huge = HugeCases::of_suite;      // `added` by --huge, `alone` by the word shape=huge
  std::optional<LoadedKernels> loaded = {};  // of the files, where they are compiled already
  std::shared_ptr<RunFolder> folder = {};    // `out`, once it is taken
};
inline bool goes_to_out(const CheckArguments& arguments) { return arguments.resume.empty(); }

struct MergeArguments {
  std::vector<std::string> runs;  // folders of shards
  KernelArguments kernels;        // that failures are shrunk with
  std::string out = "reports/merged";
  std::string save_to;   // where shrunk failures are written; empty: nowhere
  double shrink_s = 15;  // for each defect
  std::shared_ptr<RunFolder> folder = {};
};
inline bool goes_to_out(const MergeArguments&) { return true; }

struct NightlyArguments {
  std::vector<std::string> select;  // globs, and files of kernels; empty: the suites' own
  KernelArguments kernels;
  std::string suite = "nightly";
  std::string bench_suite = "bench";
  int64_t cases = -1;  // per variant and dtype; -1: the suite's
  uint64_t seed = 0;
  bool seed_given = false;  // else it is the commit
  int64_t mutants = 0;      // of all kernels together, drawn by the seed
  double budget_s = 0;      // of all steps together, from `begun` on; 0: none
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  int jobs = 0;  // 0: one per core
  std::string out = "reports/nightly";
  std::string history;  // its file; empty: history::kDefaultPath
  bool fresh = false;   // begin anew where an unfinished run could go on
  std::shared_ptr<RunFolder> folder = {};
};
inline bool goes_to_out(const NightlyArguments&) { return true; }

struct ReplayArguments {
  std::vector<std::string> what;  // a case line (in one or several words), or files and folders of case lines
  KernelArguments kernels;
  std::string device = "cpu";
  std::string under;  // a tool to run it under: gdb, or one for GPUs (under.h)
  int gpu = -1;
  bool in_process = false;  // in this process, for debuggers and profilers; a crash is then the program's
  bool stats = false;       // count memory accesses and instructions, in the checked build
  std::string bound_on = kDefaultGpuModel;  // the GPU that bounds are of
  Watching watching = {};                   // and look for more there
  bool move_fixed = false;                  // files of a folder whose cases pass now go to fixed/
  int times = 1;
  double case_limit_s = 0;               // 0: 60, and 600 of a launch
  bool brief = false;                    // three lines for each failure
  uint64_t schedule = 0, schedules = 1;  // of launches: the first, and how many
};

struct BenchArguments {
  std::vector<std::string> select;
  std::string suite = "bench";
  std::string device;  // empty: gpu where there is one, else the checked build for what can be said without
  int gpu = -1;        // its number; -1: the first
  uint64_t seed = 1;
  double budget_s = 0;  // from `begun` on; 0: none
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  double case_budget_s = 2;  // of sampling one case, in all its processes
  int processes = 5;         // that measure a case
  double noise = 0.005;      // enough: half the interval of a median over the median, in one of them
  bool cold = true;          // the L2 cache is flushed before each sample
  double case_limit_s = 60;
  double plan_limit_s = 20;        // of a library's plan for a shape
  int64_t elements_max = 100'000;  // of a case without a GPU
  int64_t flops_max = 20'000'000;
  std::string bound_on = kDefaultGpuModel;  // the GPU that bounds are of, where there is none
  int jobs = 0;                             // worker processes without a GPU; 0: one per core
  std::string out = "reports/latest";
  std::string resume;                         // a folder whose rows are kept; it is then `out` too
  bool dry_run = false;                       // the plan with its times by a model, and nothing runs
  std::vector<std::string> google_benchmark;  // flags that Google Benchmark parses
  std::shared_ptr<RunFolder> folder = {};
};
inline bool goes_to_out(const BenchArguments& arguments) { return arguments.resume.empty() && !arguments.dry_run; }

struct AdaptArguments {
  std::string file;
  std::string op;                    // empty: the likeliest
  std::vector<std::string> kernels;  // in the order of their launches; empty: the only one
  std::string out;                   // empty: beside the file; -: standard output
  bool force = false;                // write over a file that is there
  CompileOptions compile = {};
};

struct NewOpArguments {
  std::string name;
  std::string like = "reduction";  // a kind of templates/
  std::string dir = "ops";
  bool force = false;  // overwrite
};

struct ReportArguments {
  std::vector<std::string> runs;
  std::string out;
  std::string history;             // a file of `assay history` whose trends are shown; empty: none
  std::vector<std::string> saved;  // folders of saved failures that are shown
  std::vector<std::pair<std::string, std::string>> compared;  // pairs of an earlier run and one of `runs`
  std::set<std::string> formats = {};                         // options of sinks; empty: all
  bool github = false;                                        // print annotations of GitHub Actions
};

struct CompareArguments {
  std::string before;
  std::string after;
  comparison::CompareOptions options = {};
  std::string format = "text";  // text, markdown, json, github
};

struct HistoryArguments {
  std::string action;                // add, show, campaign, trend, export, baseline
  std::vector<std::string> words;    // runs; for trend what to select
  KernelArguments kernels;           // of trend: files whose kernels are selected
  std::string path;                  // the history's file; empty: history::kDefaultPath
  std::string metric;                // of trend; empty: all
  std::string out;                   // of export and baseline; empty: standard output, the baseline's own place
  std::optional<int64_t> last = {};  // runs that show lists, days that campaign adds up; 0: all; not given: 20, 10
  bool all = false;                  // trend lists what is level too
  bool with_failures = false;        // baseline: of a run in which cases fail, too
};

struct SharpnessArguments {
  std::vector<std::string> select;  // globs of ops, and case lines; empty: all ops
  std::string suite = "ci";         // whose limits the cases keep
  int64_t cases = 60;               // per op and dtype
  uint64_t seed = 1;
  std::string csv, markdown;  // files to write; empty: none
  bool ranges = false;        // instead: what the references' functions are given
};

// An adapter without a file of kernels stands for the file that it names, as it does among files.
void take_file_of_adapter(KernelArguments& arguments);
// Moves the words of a selection that name files of kernels there.
void take_files(std::vector<std::string>& select, KernelArguments& arguments);

// Compiles and loads the kernels of the user's files, and prints what was assumed about them.
Result<LoadedKernels> load_kernels(const KernelArguments& arguments);

// The commands that others run too.
int run_check(const CheckArguments& given, const std::vector<std::string>& command);
Result<int> run_bench(const BenchArguments& given, const std::vector<std::string>& command);

// Prints "assay: …" on standard error and returns kExitUsage.
int usage_error(const Error& error);
// The exit code of a command; prints what is wrong with its use.
int exit_code(const Result<int>& command);
// Prints why a device cannot be used, and returns the exit code for that: there is no such device (bad usage), or this
// machine lacks it (inconclusive: nothing was judged). Nothing when it can be used; its variants are then registered.
std::optional<int> refuse_device(const std::string& name);

}  // namespace assay
