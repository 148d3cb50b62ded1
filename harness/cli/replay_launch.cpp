// A process for each schedule, and one list of what they find.
#include "harness/cli/replay_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "harness/adapter/build/scratch.h"
#include "harness/base/command.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/base/write_file.h"
#include "harness/cli/compile_kernel.h"
#include "harness/program/folded_text.h"
#include "harness/program/replayed_launch.h"
#include "harness/program/saved_launch.h"
#include "harness/search/last_words.h"

namespace assay {
namespace {

constexpr double kLimit_s = 600;

std::string text_of_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  const size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

Result<ReplayedLaunch> replayed_apart(const std::string& file, const std::string& module, uint64_t schedule,
                                      double limit_s) {
  const std::string result = (scratch_folder() / "replayed.json").string();
  std::error_code none;
  std::filesystem::remove(result, none);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const ProcessResult ran = ASSAY_TRY(run_process(
      {.words = {self, "replay-launch", file, module, std::to_string(schedule), result}, .output = Redirect::null()},
      {.limit = std::chrono::duration<double>(limit_s)}));
  const auto ended = [](const char* kind, const std::string& how) {
    return ReplayedLaunch{.findings = {{kind, how}}, .differences = {}, .unknown = {}};
  };
  if (ran.how == ProcessResult::How::timed_out)
    return ended("TIMEOUT", fmt::format("the launch is not done in {} s (--case-limit)", limit_s));
  if (ran.how == ProcessResult::How::stopped) return fail("interrupted");
  if (ran.end.signal != 0) {
    const std::string words = last_line(ran.errors);
    return ended("CRASH", ran.end.text() + (words.empty() ? "" : ": " + words));
  }
  if (!ran.end.ok()) return fail(file + " cannot be replayed: " + last_line(ran.errors));
  return read_replayed(text_of_file(result));
}

// Prints what the schedules have found, each once: numbers of threads and blocks differ between them.
class Told {
 public:
  void add(uint64_t schedule, const ReplayedLaunch& replayed) {
    for (const auto& [kind, detail] : replayed.findings) say_once(kind, detail, schedule);
    if (!replayed.unknown.empty()) {
      ++unknown_;
      say_once("INCONCLUSIVE",
               "it reads what the program's run did not, and what the file does not hold: " + replayed.unknown,
               schedule);
    }
    for (const std::string& each : replayed.differences) say_once("NONDETERMINISTIC", each, schedule);
  }
  int code() const { return any_ ? kExitFail : unknown_ > 0 ? kExitInconclusive : kExitPass; }

 private:
  void say_once(const std::string& kind, const std::string& detail, uint64_t schedule) {
    any_ |= kind != "INCONCLUSIVE";
    if (times_[kind + without_numbers(detail)]++ == 0) say("{}: {} [schedule {}]\n", kind, detail, schedule);
  }

  std::map<std::string, int> times_;
  bool any_ = false;
  int unknown_ = 0;
};

// Whether the kernel may do otherwise each time: its PTX has a clock, and it is one that looks at such, or prints.
bool looks_at_a_clock(const SavedLaunch& launch) {
  const auto has_clock = [](const std::string& text) {
    return text.find("%clock") != std::string::npos || text.find("%globaltimer") != std::string::npos;
  };
  return launch.is_observed && std::ranges::any_of(launch.ptx, has_clock);
}

Result<int> replay_file(const std::string& file, const ReplayArguments& arguments) {
  const SavedLaunch launch = ASSAY_TRY(read_launch(file));
  say("{} of {}\n", launch.where, launch.program);
  ASSAY_TRY(make_scratch_folder());
  std::set<std::string> names = {launch.kernel};
  for (const SavedPointer& each : launch.pointers) names.insert(each.variable);
  const auto module =
      module_of_ptx(launch.ptx, names, {launch.registered_variables.begin(), launch.registered_variables.end()},
                    KernelBuild::checked, (scratch_folder() / "launch.so").string());
  if (!module) return tl::unexpected(module.error());
  const double limit_s = arguments.case_limit_s > 0 ? arguments.case_limit_s : kLimit_s;
  Told told;
  for (uint64_t i = 0; i < arguments.schedules; ++i) {
    const uint64_t schedule = arguments.schedule + i;
    ReplayedLaunch replayed = ASSAY_TRY(replayed_apart(file, *module, schedule, limit_s));
    if (looks_at_a_clock(launch))
      for (const std::string& each : std::exchange(replayed.differences, {}))
        say("as may be, because the kernel can look at a clock: {} [schedule {}]\n", each, schedule);
    told.add(schedule, replayed);
  }
  say("{}: {}, under {} schedule{}\n", file,
      told.code() == kExitPass   ? "nothing found, and the same output as in the program's run"
      : told.code() == kExitFail ? "the findings are above"
                                 : "not judged",
      arguments.schedules, arguments.schedules == 1 ? "" : "s");
  return told.code();
}

}  // namespace

bool names_launch(const std::string& word) { return word.ends_with(".launch"); }

Result<int> replay_launches(const ReplayArguments& arguments) {
  if (arguments.in_process || arguments.stats || arguments.brief || arguments.move_fixed || arguments.times != 1 ||
      !arguments.under.empty() || !arguments.kernels.files.empty())
    return fail("a .launch file runs checked, in a process of its own",
                "leave out what is for case lines; --schedules, --schedule and --case-limit are for it, too");
  int code = kExitPass;
  for (const std::string& file : arguments.what) {
    if (!names_launch(file)) return fail(file + " is no .launch file", "replay it apart from those that are");
    const int one = ASSAY_TRY(replay_file(file, arguments));
    if (code != kExitFail && one != kExitPass) code = one;
  }
  return code;
}

int replay_launch_main(const std::vector<std::string>& words) {
  if (words.size() != 4) return kExitUsage;
  install_last_words();
  uint64_t schedule = 0;
  std::from_chars(words[2].data(), words[2].data() + words[2].size(), schedule);
  const auto launch = read_launch(words[0]);
  const auto replayed =
      launch ? replay_here(*launch, words[1], schedule) : Result<ReplayedLaunch>(tl::unexpected(launch.error()));
  const auto written = replayed ? write_file(words[3], print(*replayed)) : Result<void>();
  if (replayed && written) return kExitPass;
  std::fputs(((replayed ? written.error() : replayed.error()).line() + "\n").c_str(), stderr);
  return kExitUsage;
}

}  // namespace assay
