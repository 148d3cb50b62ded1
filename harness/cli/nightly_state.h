// The state of a nightly run between processes: which run it is, and how far it came.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

struct NightlyStep {
  std::string name;
  std::string state;     // "": not begun; "running", "done"
  int exit_code = 0;     // of a step that is done
  std::string came_to;   // in one line, of a step that is done
  double spent_s = 0;    // before this process
  int64_t begun_at = 0;  // of the process that runs it: seconds since 1970
  friend bool operator==(const NightlyStep&, const NightlyStep&) = default;
};

struct NightlyState {
  std::string identity;  // all that decides the results: another one is another run
  std::vector<NightlyStep> steps;
  bool ended = false;

  NightlyStep& step(const std::string& name);  // made where there is none
  friend bool operator==(const NightlyState&, const NightlyState&) = default;
};

inline constexpr const char* kNightlyFile = "nightly.json";

// Reads FOLDER/nightly.json. The state has no identity where there is no such file. The error of a damaged file names
// it and says what to do.
Result<NightlyState> read_nightly(const std::string& folder);

// Writes the state completely or not at all.
Result<void> write_nightly(const NightlyState& state, const std::string& folder);

}  // namespace assay
