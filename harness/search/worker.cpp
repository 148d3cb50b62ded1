// The supervisor's loop.
#include "harness/search/worker.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "harness/adapter/build/build.h"
#include "harness/base/check.h"
#include "harness/search/case_process.h"

namespace assay {

int worker_main() {
  // It has to outlive its parent, to end what kernels started; the end of its input is the signal.
  prctl(PR_SET_PDEATHSIG, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGINT, SIG_IGN);  // Ctrl-C goes to the parent, which decides
  if (const auto loaded = load_modules_of_parent(); !loaded) {
    std::fprintf(stderr, "assay: %s\n", loaded.error().line().c_str());
    return 1;
  }
  CaseProcess process;
  for (std::string line; std::getline(std::cin, line);) {
    double limit_s = 0;
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), limit_s);
    const auto task = parse_task(std::string_view(line).substr(static_cast<size_t>(rest - line.data()) + 1));
    ASSAY_CHECK(error == std::errc() && task.has_value(), "the parent sent a bad task: " + line);
    const auto row = process.run(*task, std::chrono::duration<double>(limit_s));
    if (!row) return 0;
    std::fputs((*row + "\n").c_str(), stdout);
    if (std::fflush(stdout) != 0) return 1;
  }
  return 0;
}

}  // namespace assay
