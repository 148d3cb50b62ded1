// The folder of a run while it goes on: marked as incomplete before anything is computed, then a row for each case.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/descriptor.h"
#include "harness/base/error.h"
#include "harness/report/earlier_run.h"
#include "harness/report/report.h"

namespace assay {

class RunFolder {
 public:
  // Makes `directory` and takes it for this run: no other gets it while this object, or this process, lives. Where
  // another run has it, takes the first of DIRECTORY-2, DIRECTORY-3, … that is free. Files of an earlier run are set
  // aside, and run.json has `info` with the status "running", so that a run that is killed never looks complete.
  // Without begin() the folder is as it was when this object goes.
  static Result<RunFolder> open(const std::string& directory, RunInfo info);

  // Takes the folder of a run that was killed or that ended early, to go on with it: `rows` are what is in it from then
  // on. They never leave the disk, whenever the process is killed. Error: another run is writing there.
  static Result<RunFolder> resume(const std::string& directory, RunInfo info, const std::vector<ResultRow>& rows);

  // The run begins: from here on nothing of an earlier one is left, and run.json says more.
  Result<void> begin(RunInfo info);

  // The folder is as it was, and free for others.
  void give_back();

  const std::string& path() const { return path_; }

  // Appends a row to results.jsonl and hands it to the operating system. After the first error every later call fails
  // too.
  Result<void> append(const ResultRow& row);

 private:
  Result<void> open_rows(const char* mode);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  Descriptor lock_;
  EarlierRun earlier_;
  std::unique_ptr<std::FILE, Close> rows_;
};

}  // namespace assay
