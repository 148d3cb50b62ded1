// `assay run`: a program, its own build, on the executor.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>

#include "harness/base/command.h"
#include "harness/base/printable.h"
#include "harness/base/program_files.h"
#include "harness/cli/campaign_console.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"
#include "harness/cli/run_findings.h"
#include "harness/cli/run_report.h"
#include "harness/program/device_limits.h"
#include "harness/report/statistics_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTools = {"memcheck", "racecheck", "initcheck", "synccheck"};

struct RunArguments {
  std::string tool = "all";
  std::string kernels;  // a part of their names; "": all
  std::string log_file;
  std::string out;      // the folder that keeps findings.jsonl; "": none is kept
  std::string as;       // the GPU that the program sees; "": the executor
  std::string capture;  // "KERNEL" or "KERNEL,N": whose launches become files
  bool every_launch = false, stats = false;
  uint64_t schedule = 0, schedules = 0, print_limit = 100, skip = 0;
  int jobs = 1;  // runs of the program at once; 0: one for each core
  int64_t count = -1;
  int error_exit_code = kExitFail;
  std::vector<std::string> program;  // and its arguments
};

// A folder of this run, removed with it unless the user named it.
class Folder {
 public:
  static Result<Folder> make(const std::string& given) {
    Folder folder;
    if (!given.empty()) {
      std::error_code error;
      fs::create_directories(given, error);
      if (!error) fs::remove(fs::path(given) / "findings.jsonl", error);
      if (error)
        return fail(fmt::format("cannot use {}: {}", given, error.message()), "name another folder with --out");
      folder.path_ = fs::absolute(given).string();
      return folder;
    }
    std::string path = (fs::temp_directory_path() / "assay-run-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      return fail("no folder can be made in " + fs::temp_directory_path().string(), "set TMPDIR");
    folder.path_ = path;
    folder.is_own_ = true;
    return folder;
  }
  Folder(Folder&& other) noexcept : path_(std::move(other.path_)), is_own_(std::exchange(other.is_own_, false)) {}
  ~Folder() {
    std::error_code ignored;
    if (is_own_) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  Folder() = default;
  std::string path_;
  bool is_own_ = false;
};

Result<std::string> library() {
  const fs::path path = cuda_runtime_library();
  if (!path.empty()) return path.string();
  return fail("there is no libassay_cuda.so beside this program", "build or install assay again");
}

std::string with_variable(const char* name, const std::string& first, const std::string& last) {
  const char* const set = std::getenv(name);
  std::string value = first;
  if (set != nullptr && *set != '\0') value += (value.empty() ? "" : ":") + std::string(set);
  if (!last.empty()) value += (value.empty() ? "" : ":") + last;
  return value;
}

// "KERNEL,N" as the name and the number of launches. A name may have commas of its own, as scale<float, 4> does.
std::pair<std::string, std::string> captured_kernel(const std::string& text) {
  const size_t comma = text.rfind(',');
  if (comma == std::string::npos || comma + 1 == text.size() ||
      text.find_first_not_of("0123456789", comma + 1) != std::string::npos)
    return {text, "1"};
  return {text.substr(0, comma), text.substr(comma + 1)};
}

// Several runs at once: each has a folder and a log of its own, and what it prints is kept, so that all comes in order.
bool at_once(const RunArguments& arguments) { return arguments.schedules > 1 && arguments.jobs != 1; }

std::string own_folder(const std::string& folder, uint64_t schedule) {
  return fmt::format("{}/schedule-{}", folder, schedule);
}

uint64_t first_schedule(const RunArguments& arguments) { return arguments.schedules == 0 ? arguments.schedule : 0; }

using Environment = std::vector<std::pair<std::string, std::string>>;

Environment environment_of(const RunArguments& arguments, const std::string& cuda, const std::string& folder,
                           uint64_t schedule) {
  const std::string own = at_once(arguments) ? own_folder(folder, schedule) : folder;
  std::string log = arguments.log_file.empty() ? "" : fs::absolute(arguments.log_file).string();
  if (at_once(arguments) && !log.empty()) log = own + "/log";
  const std::string tools = arguments.tool == "all"    ? fmt::format("{}", fmt::join(kTools, " "))
                            : arguments.tool == "none" ? ""
                                                       : arguments.tool;
  Environment environment = {
      {"LD_PRELOAD", with_variable("LD_PRELOAD", cuda, "")},
      {"LD_LIBRARY_PATH", with_variable("LD_LIBRARY_PATH", "", (fs::path(cuda).parent_path() / "cudart").string())},
      {"ASSAY_RUN_COMPILER", fs::read_symlink("/proc/self/exe").string()},
      {"ASSAY_RUN_FOLDER", own},
      {"ASSAY_RUN_TOOLS", tools},
      {"ASSAY_RUN_LOG", log},
      {"ASSAY_RUN_KERNELS", arguments.kernels},
      {"ASSAY_RUN_EVERY_LAUNCH", arguments.every_launch ? "1" : "0"},
      {"ASSAY_RUN_SCHEDULE", std::to_string(schedule)},
      {"ASSAY_RUN_PRINT_LIMIT", std::to_string(arguments.print_limit)},
      {"ASSAY_RUN_SKIP", std::to_string(arguments.skip)}};
  if (!arguments.capture.empty() && schedule == first_schedule(arguments)) {
    const auto [kernel, count] = captured_kernel(arguments.capture);
    environment.insert(environment.end(),
                       {{"ASSAY_RUN_CAPTURE", kernel},
                        {"ASSAY_RUN_CAPTURES", count},
                        {"ASSAY_RUN_CAPTURE_FOLDER", arguments.out.empty() ? fs::current_path().string() : folder}});
  }
  if (!arguments.as.empty()) environment.emplace_back("ASSAY_RUN_AS", arguments.as);
  if (arguments.stats) environment.emplace_back("ASSAY_RUN_STATS", "1");
  if (arguments.count >= 0) environment.emplace_back("ASSAY_RUN_COUNT", std::to_string(arguments.count));
  return environment;
}

// The program once. Its output is its own, or kept where it is to be compared, and so are its errors where others run
// beside it, of which the first alone reads the input.
Result<ProcessResult> run_once(const RunArguments& arguments, Environment environment, uint64_t schedule) {
  const bool reads = !at_once(arguments) || schedule == first_schedule(arguments);
  return run_process({.words = arguments.program,
                      .environment = std::move(environment),
                      .input = reads ? Redirect::inherited() : Redirect::null(),
                      .output = arguments.schedules > 1 ? Redirect::pipe() : Redirect::inherited(),
                      .errors = at_once(arguments) ? Redirect::pipe() : Redirect::inherited(),
                      .own_group = false});
}

// Passes on what a run beside others has left.
void take_over(const RunArguments& arguments, const std::string& folder, const std::string& own,
               const std::string& errors) {
  std::fputs(errors.c_str(), stderr);
  const auto append = [](const std::string& from, const std::string& to) {
    if (std::ifstream in(from, std::ios::binary); in && in.peek() != std::ifstream::traits_type::eof())
      std::ofstream(to, std::ios::binary | std::ios::app) << in.rdbuf();
  };
  append(own + "/findings.jsonl", folder + "/findings.jsonl");
  if (!arguments.log_file.empty()) append(own + "/log", arguments.log_file);
  std::error_code ignored;
  fs::remove_all(own, ignored);
}

// Runs the program under each schedule, as many at once as were asked for. Calls ended(schedule, result) in their
// order.
template <class Ended>
Result<void> run_schedules(const RunArguments& arguments, const std::string& cuda, const std::string& folder,
                           const Ended& ended) {
  const uint64_t runs = std::max<uint64_t>(arguments.schedules, 1), first = first_schedule(arguments);
  const size_t most = at_once(arguments) ? static_cast<size_t>(jobs_or_cores(arguments.jobs)) : 1;
  std::deque<std::future<Result<ProcessResult>>> running;
  for (uint64_t next = 0, run = 0; run < runs; ++run) {
    for (; next < runs && running.size() < most; ++next) {
      const uint64_t schedule = first + next;
      if (at_once(arguments)) fs::create_directory(own_folder(folder, schedule));
      running.push_back(std::async(std::launch::async, [&arguments, &cuda, &folder, schedule] {
        return run_once(arguments, environment_of(arguments, cuda, folder, schedule), schedule);
      }));
    }
    const ProcessResult result = ASSAY_TRY(running.front().get());
    running.pop_front();
    if (at_once(arguments)) take_over(arguments, folder, own_folder(folder, first + run), result.errors);
    ended(first + run, result);
  }
  return {};
}

Result<int> run_program(const RunArguments& given) {
  RunArguments arguments = given;
  if (arguments.program.empty()) return fail("which program?", "assay run ./my_test, and its arguments behind it");
  const std::string path = find_program(arguments.program[0]);
  if (path.empty() || !fs::exists(path))
    return fail(fmt::format("there is no program {}", arguments.program[0]), "give its path");
  arguments.program[0] = path;
  if (!arguments.log_file.empty() && !std::ofstream(arguments.log_file, std::ios::app))
    return fail("cannot write " + arguments.log_file, "name another file with --log-file");
  if (!arguments.capture.empty() && arguments.tool == "none")
    return fail("--capture needs the checks, which know what a launch reads", "leave out --tool none");
  if (arguments.stats && arguments.tool == "none")
    return fail("--stats needs the checked build", "leave out --tool none");
  const std::string cuda = ASSAY_TRY(library());
  const Folder folder = ASSAY_TRY(Folder::make(arguments.out));
  std::string first_output;
  int code = kExitPass;
  bool differs = false;
  ASSAY_TRY(run_schedules(arguments, cuda, folder.path(), [&](uint64_t schedule, const ProcessResult& ended) {
    const bool is_first = schedule == first_schedule(arguments);
    if (is_first) std::fputs((first_output = ended.output).c_str(), stdout);
    std::fflush(stdout);  // what a run that hangs is waited for must not hold back
    if (code == kExitPass) code = ended.end.shell_code();
    if (!is_first && ended.output != first_output && !std::exchange(differs, true))
      say_to(stderr, "assay: NONDETERMINISTIC: under schedule {} the program's output is another than under 0\n",
             schedule);
    if (ended.end.signal != 0)
      say_to(stderr, "assay: under schedule {} the program was {}\n", schedule, ended.end.text());
  }));
  std::vector<RunFinding> findings = run_findings(folder.path());
  if (!uses_cuda(folder.path())) {
    findings.push_back({"SKIPPED",
                        "the program called nothing of CUDA that could be answered, so nothing was checked; is it the "
                        "right one, dynamically linked?",
                        "the whole program"});
    say_to(stderr, "assay: SKIPPED: {}\n", findings.back().detail);
  }
  if (differs)
    findings.push_back({"NONDETERMINISTIC", "the program's output differs between schedules", "the program's output"});
  if (arguments.stats) std::fputs(line_tables(run_statistics(folder.path())).c_str(), stderr);
  if (!arguments.out.empty()) {
    ASSAY_TRY(write_junit(folder.path(), path, code, findings));
    ASSAY_TRY(write_run_page({folder.path(), arguments.program, code, findings}));
    if (arguments.stats) ASSAY_TRY(write_statistics(folder.path(), run_statistics(folder.path())));
  }
  say_to(stderr, "assay run: {}; the program ended with exit code {}\n", summary_of(findings), code);
  if (findings.empty() && code == kExitPass && !arguments.capture.empty() && !has_captured(folder.path()))
    return kExitInconclusive;
  return findings.empty() ? code : arguments.error_exit_code;
}

// The program and its arguments, from the first word on that is no option, or behind "--". Options with a value have it
// behind them or behind "=". `words`: the command line, the last first; what is left of it is the options.
std::vector<std::string> taken_program(std::vector<std::string>& words) {
  std::ranges::reverse(words);
  size_t at = 1;  // behind the command
  for (; at < words.size() && words[at].starts_with('-') && words[at] != "--"; ++at) {
    const bool is_flag = words[at] == "-h" || words[at] == "--help" || words[at] == "--version" ||
                         words[at] == "--every-launch" || words[at] == "--stats";
    if (!is_flag && words[at].find('=') == std::string::npos) ++at;
  }
  at = std::min(at, words.size());
  const size_t first = at < words.size() && words[at] == "--" ? at + 1 : at;
  std::vector<std::string> program(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  words.resize(at);
  std::ranges::reverse(words);
  return program;
}

}  // namespace

Command run_program_command() {
  const auto arguments = std::make_shared<RunArguments>();
  return {.name = "run",
          .add_options =
              [=](CLI::App& command) {
                std::vector<std::string> tools = kTools;
                tools.insert(tools.end(), {"all", "none"});
                command.add_option("--tool", arguments->tool)->check(CLI::IsMember(tools));
                command.add_option("--kernel-name", arguments->kernels);
                command.add_option("--launch-skip", arguments->skip);
                command.add_option("--launch-count", arguments->count)->check(kNotNegative);
                command.add_flag("--every-launch", arguments->every_launch);
                command.add_option("--schedule", arguments->schedule);
                command.add_option("--schedules", arguments->schedules)->check(CLI::Range(1, 1000));
                command.add_option("--jobs", arguments->jobs)->check(kNotNegative);
                std::vector<std::string> devices;
                for (const program::DeviceLimits& each : program::kDevices)
                  if (!each.word.empty()) devices.emplace_back(each.word);
                command.add_option("--as", arguments->as)->check(CLI::IsMember(devices));
                command.add_option("--print-limit", arguments->print_limit);
                command.add_option("--log-file", arguments->log_file);
                command.add_option("--error-exitcode", arguments->error_exit_code)->check(CLI::Range(0, 255));
                command.add_option("--out", arguments->out);
                command.add_option("--capture", arguments->capture);
                command.add_flag("--stats", arguments->stats);
              },
          .run = [=](const std::vector<std::string>&) { return run_program(*arguments); },
          .take = [=](std::vector<std::string>& words) { arguments->program = taken_program(words); },
          .uses_ops = false};
}

}  // namespace assay
