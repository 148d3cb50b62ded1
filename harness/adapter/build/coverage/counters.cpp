// The compiler's counters: which flags make them, where they are, and asking gcov for them.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/adapter/build/build.h"
#include "harness/adapter/build/coverage/coverage.h"
#include "harness/adapter/build/scratch.h"
#include "harness/base/command.h"
#include "harness/base/process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall = "run 'apt-get install g++', which brings gcov";

Result<std::string> output_of(const std::vector<std::string>& words) {
  const auto ran = ASSAY_TRY(run_process({.words = words}));
  if (ran.end.shell_code() == 0) return ran.output;
  return fail(fmt::format("{} ended with exit code {}: {}", words[0], ran.end.shell_code(), ran.errors), kInstall);
}

// The gcov of the compiler's version: tables of another one are not read.
Result<std::string> gcov_program() {
  const std::string compiler = ASSAY_TRY(host_compiler());
  const std::string about = ASSAY_TRY(output_of({compiler, "--version"}));
  if (about.find("clang") != std::string::npos)
    return fail("lines of kernels are counted by g++, and this build of assay compiles them by clang",
                "build assay with g++, or leave out --coverage");
  std::string version = ASSAY_TRY(output_of({compiler, "-dumpversion"}));
  version = version.substr(0, version.find_first_of(".\n"));
  for (const std::string& name : {"gcov-" + version, std::string("gcov")})
    if (const auto found = find_program(name); !found.empty()) return name;
  return fail("there is no gcov-" + version + " to read the counters with", kInstall);
}

// An adapter's file gives words of the launch, and no kernel.
bool is_asked(const std::string& path) { return is_of_the_user(path) && !path.ends_with(".toml"); }

std::vector<fs::path> scratch_files(const std::string& ending) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(scratch_folder(), none))
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// Those of this process; the module is loaded already.
void write_counters_of(const fs::path& module) {
  void* const loaded = dlopen(module.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!loaded) return;
  if (void* const write = dlsym(loaded, "assay_write_counters")) reinterpret_cast<void (*)()>(write)();
  dlclose(loaded);
}

void add(Coverage& all, const Coverage& more) {
  all.lines += more.lines;
  all.lines_run += more.lines_run;
  all.ways += more.ways;
  all.ways_taken += more.ways_taken;
  all.uncovered.insert(all.uncovered.end(), more.uncovered.begin(), more.uncovered.end());
}

}  // namespace

std::optional<Error> why_nothing_is_counted() {
  const auto program = gcov_program();
  return program ? std::nullopt : std::optional(program.error());
}

std::vector<std::string> counting_flags(const std::string& root) {
  std::vector<std::string> words = {"-O1", "--coverage", "-fprofile-abs-path", "-include",
                                    root + "/harness/adapter/build/coverage/counted_variant.h"};
  // Code that is inlined, threaded, merged or folded before the counters are put in has none of its own.
  for (const char* pass : {"early-inlining", "thread-jumps", "ssa-phiopt", "tree-fre", "tree-ccp", "tree-forwprop"})
    words.push_back(std::string("-fno-") + pass);
  return words;
}

Result<Coverage> coverage_of_runs() {
  for (const fs::path& module : scratch_files(".so")) write_counters_of(module);
  const std::string gcov = ASSAY_TRY(gcov_program());
  Coverage all;
  for (const fs::path& tables : scratch_files(".gcno")) {
    const std::string text = ASSAY_TRY(output_of({gcov, "-j", "-t", "-b", tables}));
    try {
      add(all, coverage_in(nlohmann::json::parse(text), is_asked));
    } catch (const nlohmann::json::exception& error) {
      return fail(fmt::format("{} printed what cannot be read: {}", gcov, error.what()), kInstall);
    }
  }
  return all;
}

}  // namespace assay
