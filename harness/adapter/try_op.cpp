// The child says everything on one pipe: mistakes with exit code 1, or whatever is printed while it dies.
#include "harness/adapter/try_op.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "harness/base/check.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

constexpr unsigned kSecondsMax = 30;
constexpr int kMistaken = 1;

std::string mistakes_of(const std::filesystem::path& module, const std::string& name) {
  if (!dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL)) return dlerror();
  const Contract* contract = find_op(name);
  if (!contract) return fmt::format("its contract has another name: .name must be '{}', as the file's", name);
  return fmt::format("{}", fmt::join(contract_mistakes(*contract), "; "));
}

[[noreturn]] void be_the_child(int pipe, const std::filesystem::path& module, const std::string& name) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(pipe, STDOUT_FILENO);
  dup2(pipe, STDERR_FILENO);
  alarm(kSecondsMax);
  const std::string mistakes = mistakes_of(module, name);
  [[maybe_unused]] const auto written = write(pipe, mistakes.data(), mistakes.size());
  _exit(mistakes.empty() ? 0 : kMistaken);
}

std::string read_all(int pipe) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
  }
}

// What was printed, as one line.
std::string one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

Result<void> try_op(const std::filesystem::path& module, const std::string& name) {
  int ends[2];
  ASSAY_CHECK(pipe(ends) == 0, std::string("cannot open a pipe: ") + std::strerror(errno));
  std::fflush(nullptr);  // or the child would print it again
  const pid_t child = fork();
  ASSAY_CHECK(child >= 0, std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) be_the_child(ends[1], module, name);
  close(ends[1]);
  const std::string said = one_line(read_all(ends[0]));
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kMistaken) return fail(said, "correct the contract");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return fail(fmt::format("its reference is not done with the smallest cases after {} s", kSecondsMax),
                "does a loop never end?");
  const std::string how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "the process ended";
  return fail(
      fmt::format("trying it on its smallest cases ends the process ({}{}{})", how, said.empty() ? "" : ": ", said),
      "does the reference read beyond a tensor?");
}

}  // namespace assay
