// posix_spawn and a pipe.
#include "harness/base/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "harness/base/check.h"

extern char** environ;

namespace assay {

CommandResult run_command(const std::vector<std::string>& words,
                          const std::vector<std::pair<std::string, std::string>>& environment) {
  int ends[2];
  ASSAY_CHECK(pipe2(ends, O_CLOEXEC) == 0, std::string("cannot open a pipe: ") + std::strerror(errno));
  std::vector<std::string> texts;
  for (const auto& [name, value] : environment) texts.push_back(name + "=" + value);
  std::vector<char*> argv, variables;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  for (std::string& text : texts) variables.push_back(text.data());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view own(*entry);
    const auto replaced = [&](const auto& variable) { return own.starts_with(variable.first + "="); };
    if (std::none_of(environment.begin(), environment.end(), replaced)) variables.push_back(*entry);
  }
  variables.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  CommandResult result;
  if (error != 0) {
    close(ends[0]);
    return {127, words[0] + ": " + std::strerror(error)};
  }
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(ends[0], buffer, sizeof buffer);
    if (n > 0) result.output.append(buffer, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace assay
