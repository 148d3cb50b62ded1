// The files that another run left in a folder, until it is known that the next run begins.
//
// A folder is marked before anything of a run is read or compiled, since a process may be killed at any time; but a
// command that is refused has run nothing, and what was there before is still the last run.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

class EarlierRun {
 public:
  EarlierRun() = default;
  EarlierRun(EarlierRun&& other) noexcept;
  EarlierRun& operator=(EarlierRun&& other) noexcept;
  ~EarlierRun() { put_back(); }

  // Makes the folder where there is none.
  static Result<EarlierRun> in(const std::string& folder);

  // Moves the files of all sinks out of sight. Files that a killed process left there are of no use and go.
  Result<void> set_aside();

  // The next run begins: what was set aside is removed.
  Result<void> forget();

 private:
  void put_back();  // unless this program was interrupted: then a run ended early, and the folder says so

  std::string folder_;             // "": nothing is set aside
  bool all_ = false;               // files of sinks that are in the folder now are the next run's
  std::vector<std::string> made_;  // folders that were not there before, the deepest last
};

}  // namespace assay
