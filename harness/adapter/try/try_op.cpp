// The child prints everything on one pipe: mistakes with exit code 1, or whatever is printed while it dies.
#include "harness/adapter/try/try_op.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>

#include "harness/base/command.h"
#include "harness/base/interrupt.h"
#include "harness/base/running.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

constexpr auto kTimeMax = std::chrono::seconds(30);
constexpr int kMistaken = 1;

std::string mistakes_of(const std::filesystem::path& module, const std::string& name) {
  if (!dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL)) return dlerror();
  const Contract* contract = find_op(name);
  if (!contract) return fmt::format("its contract has another name: .name must be '{}', as the file's", name);
  return fmt::format("{}", fmt::join(contract_mistakes(*contract), "; "));
}

// Which of the op's functions the child dies in; a failed assertion has said its condition before.
void say_where(int signal) {
  const auto say = [](const char* text) { [[maybe_unused]] const auto n = write(STDOUT_FILENO, text, strlen(text)); };
  if (*running() != 0) {
    say(" in ");
    say(running());
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Runs in the child: returns its exit code, and prints mistakes to standard output.
int look_for_mistakes(const std::filesystem::path& module, const std::string& name) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(signal, say_where);
  const std::string mistakes = mistakes_of(module, name);
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, mistakes.data(), mistakes.size());
  return mistakes.empty() ? 0 : kMistaken;
}

// The printed text as one line.
std::string one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

Result<void> try_op(const std::filesystem::path& module, const std::string& name) {
  const auto ran = run_process({.body = [&] { return look_for_mistakes(module, name); }, .errors = Redirect::merged()},
                               {.limit = kTimeMax, .stop = &interrupted_flag()});
  if (!ran) return tl::unexpected(ran.error());
  if (ran->how == ProcessResult::How::stopped) return fail("interrupted");
  const std::string printed = one_line(ran->output);
  const ProcessEnd& end = ran->end;
  if (ran->how == ProcessResult::How::timed_out)
    return fail(fmt::format("its reference is not done with the smallest cases after {} s", kTimeMax.count()),
                "does a loop never end?");
  if (end.ok()) return {};
  if (end.exit_code == kMistaken) return fail(printed, "correct the contract");
  const std::string how = end.signal != 0 ? strsignal(end.signal) : "the process ended";
  return fail(fmt::format("trying it on its smallest cases ends the process ({}{}{})", how, printed.empty() ? "" : ": ",
                          printed),
              "does it read beyond a tensor, or along an axis that a tensor does not have?");
}

}  // namespace assay
