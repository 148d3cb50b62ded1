// Rows on disk while a run goes on, so that a run that is killed leaves what it had: results.jsonl, a row per line.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/error.h"
#include "harness/result/row.h"

namespace assay {

class RowStream {
 public:
  // Creates `directory` and starts its results.jsonl anew.
  static Result<RowStream> open(const std::string& directory);

  // Appends a row and hands it to the operating system. After the first error every later call fails too.
  Result<void> append(const ResultRow& row);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace assay
