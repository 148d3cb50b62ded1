// The descriptor changes, not the stream: kernels, host code and drivers print each in a way of their own.
#include "harness/base/silent_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace assay {

SilentOutput::SilentOutput() {
  std::fflush(stdout);
  const Descriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere.is_open()) return;
  before_ = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (before_.is_open()) dup2(nowhere.get(), STDOUT_FILENO);
}

SilentOutput::~SilentOutput() {
  if (!before_.is_open()) return;
  std::fflush(stdout);
  dup2(before_.get(), STDOUT_FILENO);
}

}  // namespace assay
