// Which shards fit together, and in which order their rows are.
#include "harness/report/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "harness/report/summary.h"

namespace assay {
namespace {

struct Numbered {
  int64_t number = 0, count = 0;
};

Result<Numbered> numbered(const ShardOfRun& shard) {
  Numbered read;
  const std::string& text = shard.report.info.shard;
  if (text.empty()) return fail(shard.path + " is no shard of a run", "name folders that `assay check --shard` wrote");
  char end = 0;
  const bool whole = std::sscanf(text.c_str(), "%ld/%ld%c", &read.number, &read.count, &end) == 2;
  if (whole && read.number >= 1 && read.number <= read.count) return read;
  return fail(fmt::format("{}/{}: shard is '{}', which is none", shard.path, kRunFile, text), "run that shard again");
}

// The difference of two runs that keeps them from being parts of one.
std::optional<std::string> difference(const RunInfo& a, const RunInfo& b) {
  const auto of = [](const char* what, const auto& x, const auto& y) {
    return fmt::format("{} {} and {}", what, x, y);
  };
  if (a.version != b.version) return of("versions of assay", a.version, b.version);
  if (a.suite != b.suite) return of("suites", a.suite, b.suite);
  if (a.seed != b.seed) return of("seeds", a.seed, b.seed);
  if (a.git_commit != b.git_commit) return of("commits", a.git_commit, b.git_commit);
  if (a.plan != b.plan) return "other cases: the suite, the selection, the options or the saved failures differ";
  return std::nullopt;
}

std::string missing(const std::map<int64_t, const ShardOfRun*>& there, int64_t count) {
  constexpr int64_t kNamedMax = 8;
  std::string names;
  int64_t left = count - static_cast<int64_t>(there.size());
  for (int64_t number = 1, named = 0; number <= count && left > 0; ++number) {
    if (there.contains(number)) continue;
    if (++named > kNamedMax) return names + fmt::format(" and {} more", left);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", number);
    --left;
  }
  return names;
}

// A row of the plan, with those that shrinking made of it.
struct Group {
  const std::string* path;
  std::vector<ResultRow> rows;
};

// The groups of a shard by place; rows that have no place and come before any that has go into `first`.
Result<void> add_groups(ShardOfRun& shard, std::vector<ResultRow>& first, std::map<int64_t, Group>& groups) {
  Group* last = nullptr;
  for (ResultRow& row : shard.report.rows) {
    if (row.verdict == Kind::mistrusted) continue;
    if (row.place < 0) {
      (last ? last->rows : first).push_back(std::move(row));
      continue;
    }
    const auto [at, added] = groups.try_emplace(row.place, Group{&shard.path, {}});
    if (!added)
      return fail(fmt::format("{} and {} both have case {} of the plan: {}", *at->second.path, shard.path, row.place,
                              row.line()),
                  "name every shard once");
    last = &at->second;
    last->rows.push_back(std::move(row));
  }
  return {};
}

}  // namespace

Result<Report> merge_shards(std::vector<ShardOfRun> shards) {
  std::map<int64_t, const ShardOfRun*> there;
  Report all;
  all.info = shards.front().report.info;
  all.info.cases_planned = 0;
  all.info.jobs = 0;
  int64_t count = 0;
  for (const ShardOfRun& shard : shards) {
    const auto number = numbered(shard);
    if (!number) return tl::unexpected(number.error());
    const RunInfo& info = shard.report.info;
    if (const auto differs = difference(all.info, info))
      return fail(fmt::format("{} and {} are not of one run: {}", shards.front().path, shard.path, *differs),
                  "merge shards of one commit, suite and seed");
    if (count != 0 && number->count != count)
      return fail(
          fmt::format("{} is one of {} shards, {} one of {}", shards.front().path, count, shard.path, number->count),
          "merge shards of one run");
    count = number->count;
    if (const auto [at, added] = there.emplace(number->number, &shard); !added)
      return fail(fmt::format("{} and {} are both shard {} of {}", at->second->path, shard.path, number->number, count),
                  "name every shard once");
    all.info.cases_planned += info.cases_planned;
    all.info.jobs += info.jobs;
    all.info.seconds = std::max(all.info.seconds, info.seconds);
    all.info.started = std::min(all.info.started, info.started);
    if (is_complete(all.info)) all.info.status = info.status;
  }
  if (const std::string names = missing(there, count); !names.empty()) all.info.status = kShardsMissing + names;
  all.info.shard.clear();

  std::vector<ResultRow> first;
  std::map<int64_t, Group> groups;
  for (ShardOfRun& shard : shards)
    if (auto added = add_groups(shard, first, groups); !added) return tl::unexpected(added.error());
  all.rows = std::move(first);
  for (auto& [place, group] : groups)
    for (ResultRow& row : group.rows) all.rows.push_back(std::move(row));
  return all;
}

}  // namespace assay
