// Reading which part is wanted.
#include "harness/search/shard.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/number.h"

namespace assay {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? text : "";
}

Result<int64_t> number_of(const char* name) {
  const std::string text = variable(name);
  if (const auto number = number_in<int64_t>(text)) return *number;
  return fail(fmt::format("{} is '{}', which is no whole number", name, text), "set it to one, or give --shard 1/4");
}

Result<Shard> checked(int64_t number, int64_t count, const std::string& from) {
  if (count >= 1 && count <= kShardsMax && number >= 1 && number <= count) return Shard{number, count};
  return fail(fmt::format("{}: there is no part {} of {}", from, number, count),
              fmt::format("parts are numbered from 1, and there are {} at most: --shard 1/4", kShardsMax));
}

Result<Shard> of_googletest() {
  const int64_t count = ASSAY_TRY(number_of("GTEST_TOTAL_SHARDS"));
  return checked(ASSAY_TRY(number_of("GTEST_SHARD_INDEX")) + 1, count, "GTEST_SHARD_INDEX");
}

Result<Shard> of_slurm() {
  const int64_t count = ASSAY_TRY(number_of("SLURM_ARRAY_TASK_COUNT")),
                id = ASSAY_TRY(number_of("SLURM_ARRAY_TASK_ID")), first = ASSAY_TRY(number_of("SLURM_ARRAY_TASK_MIN")),
                last = ASSAY_TRY(number_of("SLURM_ARRAY_TASK_MAX"));
  const int64_t step = count > 1 ? (last - first) / (count - 1) : 1;
  const bool even = step > 0 && first + step * (count - 1) == last && (id - first) % step == 0;
  if (!even)
    return fail(fmt::format("the numbers of this Slurm array ({} of them from {} to {}) are not evenly spaced", count,
                            first, last),
                "submit it as --array=0-3, or give --shard 1/4");
  return checked((id - first) / step + 1, count, "SLURM_ARRAY_TASK_ID");
}

bool in_googletest() { return !variable("GTEST_TOTAL_SHARDS").empty(); }
bool in_slurm() { return !variable("SLURM_ARRAY_TASK_COUNT").empty(); }

}  // namespace

std::string print(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

Result<Shard> shard_of(const std::string& option) {
  if (option.empty()) return in_googletest() ? of_googletest() : Result<Shard>(Shard{});
  if (option == "auto") {
    if (in_googletest()) return of_googletest();
    if (in_slurm()) return of_slurm();
    return fail("--shard auto: the environment names no part",
                "run it in a Slurm array, set GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX, or give --shard 1/4");
  }
  const size_t slash = option.find('/');
  const auto number = number_in<int64_t>(option.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : number_in<int64_t>(option.substr(slash + 1));
  if (!number || !count)
    return fail(fmt::format("--shard {} is no part of something", option),
                "write it as 1/4, the first of four, or auto");
  return checked(*number, *count, "--shard " + option);
}

void acknowledge_shard() {
  if (const std::string path = variable("GTEST_SHARD_STATUS_FILE"); !path.empty()) std::ofstream(path).flush();
}

std::optional<std::string> unshared_array() {
  if (!in_slurm() || variable("SLURM_ARRAY_TASK_COUNT") == "1") return std::nullopt;
  return fmt::format("each of the {} tasks of this Slurm array checks everything; --shard auto shares it out",
                     variable("SLURM_ARRAY_TASK_COUNT"));
}

}  // namespace assay
