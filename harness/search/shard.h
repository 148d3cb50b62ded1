// One of several parts of a plan, for machines that share its cases.
//
// Case number p of the plan, counted from 0, belongs to part p % count + 1. So every part has some of each variant,
// dtype and kind of data, and the parts take about the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/error.h"

namespace assay {

struct Shard {
  int64_t number = 1;  // from 1
  int64_t count = 1;

  bool is_whole() const { return count == 1; }
  bool has(int64_t place) const { return place % count == number - 1; }
  int64_t size_of(int64_t places) const { return (places + count - number) / count; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

inline constexpr int64_t kShardsMax = 1'000'000;

std::string print(const Shard& shard);  // "2/4"

// The meaning of --shard: "2/4", or "auto", which reads the environment. "": the environment too, but nothing that
// Slurm set there, because a job array may well have another purpose than to share one check.
//
//   GTEST_TOTAL_SHARDS, GTEST_SHARD_INDEX (from 0), as GoogleTest and Bazel set them
//   SLURM_ARRAY_TASK_COUNT, _ID, _MIN, _STEP, of an array whose numbers are evenly spaced
//
// Errors: a malformed number or one out of range; with "auto" an environment that names no part.
Result<Shard> shard_of(const std::string& option);

// Tells who set GTEST_TOTAL_SHARDS that it was heeded, by the file that GTEST_SHARD_STATUS_FILE names.
void acknowledge_shard();

// The message for a Slurm array that runs the same command several times without --shard.
std::optional<std::string> unshared_array();

}  // namespace assay
