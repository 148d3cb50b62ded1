// Putting the shards of a run together again (`assay check --shard`).
#pragma once

#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay {

struct ShardOfRun {
  std::string path;  // for messages
  Report report;
};

// The run that the shards are parts of: their rows in the plan's order, shrunk rows behind those that they came from,
// and no MISTRUSTED rows, which follow from all rows together. Complete if every shard is there and complete; a shard
// that is missing leaves the status "shards missing: 2, 4".
//
// Errors: a run that is no shard, one of another plan, seed or program version, a shard that is there twice, a case
// that two shards have.
Result<Report> merge_shards(std::vector<ShardOfRun> shards);

}  // namespace assay
