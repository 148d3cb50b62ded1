// The console of every campaign of the command line.
#include "harness/cli/campaign_console.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "harness/base/check.h"

namespace assay {

std::string_view status_of(CampaignEnd end) {
  switch (end) {
    case CampaignEnd::complete:
      return "complete";
    case CampaignEnd::interrupted:
      return "interrupted";
    case CampaignEnd::out_of_time:
      return "out of time";
  }
  ASSAY_CHECK(false, "unknown end of a campaign");
}

// Three descriptors for each, and some for reports and libraries.
int jobs_max() {
  constexpr rlim_t kEach = 3, kOthers = 32, kMost = 1024;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return static_cast<int>((std::clamp(files.rlim_cur, kEach + kOthers, kEach * kMost + kOthers) - kOthers) / kEach);
}

int jobs_or_cores(int wanted) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return wanted > 0 ? wanted : std::min(cores, jobs_max());
}

}  // namespace assay
