// The parents of all processes, as /proc lists them.
#include "harness/base/descendants.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace assay {
namespace {

namespace fs = std::filesystem;

// "1234 (name) S 1 …": the fourth field. A name may hold blanks and brackets.
pid_t parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');
  pid_t parent = 0;
  if (name_end != std::string::npos && name_end + 4 < text.size())
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

void kill_children() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec == std::errc() &&
        parent_of(entry.path()) == getpid())
      kill(pid, SIGKILL);
  }
}

}  // namespace

// The end of one makes its children ours, so look until there are none. One that the kernel keeps alive, as in a broken
// driver, is left.
void end_descendants() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < until) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG | __WALL);
    if (ended < 0 && errno == ECHILD) return;
    if (ended > 0) continue;
    kill_children();
    usleep(200);
  }
}

}  // namespace assay
