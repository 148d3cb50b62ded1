// Asking descriptors and the C library's stream.
#include "harness/cli/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace assay {

void prepare_standard_streams() {
  // Output is opened for reading, so that printing to it fails: its loss is an error. The order rises, because a file
  // gets the lowest number that is free.
  for (const auto& [number, how] :
       {std::pair{STDIN_FILENO, O_RDONLY}, std::pair{STDOUT_FILENO, O_RDONLY}, std::pair{STDERR_FILENO, O_WRONLY}})
    if (fcntl(number, F_GETFD) == -1 && errno == EBADF) [[maybe_unused]]
      const int opened = open("/dev/null", how);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool output_is_unread() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

std::optional<Error> lost_output() {
  const bool lost_before = std::ferror(stdout) != 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && !lost_before) return std::nullopt;
  return Error{flushed ? "what was printed did not all arrive at standard output"
                       : fmt::format("cannot write to standard output: {}", std::strerror(errno)),
               ""};
}

}  // namespace assay
