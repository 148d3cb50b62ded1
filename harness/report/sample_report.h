// Reports for tests: a small one with one row of each sort that sinks must cope with, and one as large as a long run's.
#pragma once

#include <fmt/format.h>

#include <limits>

#include "harness/report/report.h"

namespace assay {

// What somebody's kernel might print: markup, quotes, separators, a terminal escape, a byte that is no UTF-8, Greek.
inline const std::string kNastyText =
    "bad <script>document.title='owned'</script> & \"quoted\", 'single'; {{data}} --> ]]> \x1b[31mred\x1b[0m \xff "
    "µ\nsecond line";

inline ResultRow row_of(const std::string& op, const std::string& variant, DType dtype, const std::string& params,
                        Kind verdict, double error_over_budget, const std::string& detail = "") {
  ResultRow row;
  row.case_line = fmt::format("{}/{} {} {} fill=normal seed=7 schedule=0", op, variant, name(dtype), params);
  row.op = op;
  row.variant = variant;
  row.dtype = dtype;
  row.device = "cpu";
  row.verdict = verdict;
  row.error_over_budget = error_over_budget;
  row.detail = detail;
  row.seconds = 0.25;
  return row;
}

// A tensor of `rows` × `cols` cells that is wrong in its lower right quarter.
inline ErrorMap quarter_map(const std::string& tensor, std::vector<int64_t> shape, int rows, int cols) {
  ErrorMap map{tensor, std::move(shape), rows, cols, {}};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      map.cells.push_back(r >= rows / 2 && c >= cols / 2 ? 1.5 * (1 + r - rows / 2) * (1 + c - cols / 2)
                                                         : 0.01 * (r + c));
  map.cells.back() = std::numeric_limits<double>::infinity();
  return map;
}

// Two kernels, one of which has no atomics; the larger part of the bytes is in a line with a nasty name.
inline AccessStatistics sample_statistics() {
  const AccessCounts load{.reads = {.requests = 64, .sectors = 512, .ideal = 256},
                          .writes = {},
                          .updates = {},
                          .lanes_active = 1024,
                          .lanes_present = 2048};
  const AccessCounts bins{.reads = {},
                          .writes = {},
                          .updates = {.requests = 16, .sectors = 16, .ideal = 16},
                          .shared_requests = 32,
                          .bank_passes = 80,
                          .bank_conflict_max = 4,
                          .atomics = 512,
                          .atomic_addresses = 4,
                          .contention_max = 32,
                          .barriers = 6,
                          .lanes_active = 1536,
                          .lanes_present = 1536};
  AccessCounts all = load;
  all += bins;
  return {.compulsory_bytes = 8192,
          .kernels = {{.kernel = "count_rows<float>",
                       .launches = 1,
                       .blocks = 3,
                       .total = all,
                       .lines = {{"<b>rows</b>.cu:31", load}, {"rows.cu:40", bins}}},
                      {.kernel = "copy", .launches = 2, .blocks = 2, .total = load, .lines = {{"", load}}}},
          .incomplete = ""};
}

inline Report sample_report() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  Report report;
  report.info = {.version = "0.1.0",
                 .git_commit = "0123456789abcdef0123456789abcdef01234567",
                 .command = "assay check --suite ci --out 'my report'",
                 .suite = "ci",
                 .seed = 18446744073709551615u,
                 .device = "cpu",
                 .jobs = 2,
                 .started = "2026-01-31T12:00:00Z",
                 .seconds = 3.5,
                 .host_cpu = "Example CPU",
                 .host_cores = 2,
                 .host_os = "Linux 6.1",
                 .compiler = "g++ 12.2",
                 .status = "interrupted",
                 .cases_planned = 40};
  auto& rows = report.rows;
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::f32, "rows=3 cols=65", Kind::pass, 0.25));
  rows.back().power = {{"zeros:y", true}, {"rounded_lower:y", false}};
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::f32, "rows=1 cols=1", Kind::pass, 0));
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::bf16, "rows=64 cols=4096", Kind::pass, 0.5012345678));
  rows.back().power = {{"zeros:y", true}, {"rounded_lower:y", true}};
  rows.back().statistics = sample_statistics();
  rows.back().either_way = 12;
  rows.push_back(row_of("sample_attention", "flash_tiled", DType::bf16, "S=130 H=2 D=64 causal=1", Kind::mismatch,
                        kInfinity,
                        "dq: 8320 of 16640 elements are wrong, the first at [65,0,32]: got 0.125, want 0.5 ± 0.01"));
  rows.back().worst = {{"dq", "[129,1,63]", kNan, 0.5, kInfinity}, {"dq", "[65,0,32]", 0.125, 0.5, 37.5}};
  rows.back().maps = {quarter_map("dq", {130, 2, 64}, 52, 64), quarter_map("dbias", {64}, 1, 64)};
  rows.push_back(row_of("sample_attention", "flash_tiled", DType::bf16, "S=65 H=1 D=1 causal=1", Kind::mismatch, 37.5,
                        "dq: 1 of 65 elements are wrong, the first at [64,0,0]: got 0.125, want 0.5 ± 0.01"));
  rows.back().shrunk_from = rows[3].case_line;
  rows.back().worst = {{"dq", "[64,0,0]", 0.125, 0.5, 37.5}};
  rows.back().maps = {quarter_map("dq", {65, 1, 1}, 33, 1)};
  rows.push_back(row_of("sample_softmax", "it's_\"odd\"", DType::f32, "rows=2 cols=2", Kind::crash, kNan, kNastyText));
  rows.push_back(
      row_of("sample_softmax", "block_per_row", DType::f16, "rows=2 cols=2", Kind::skipped, kNan, "no device"));
  rows.back().device = "gpu";
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::f32, "rows=3 cols=65", Kind::mistrusted, kNan,
                        "sample_softmax f32 is blind to 'rounded_lower:y': 3 of 12 cases"));
  return report;
}

// `count` rows over two ops; every hundredth fails, with a full-size picture.
inline Report large_report(int count) {
  Report report;
  report.info.command = "assay check --suite nightly";
  report.info.suite = "nightly";
  report.info.seed = 1;
  report.info.device = "cpu";
  report.info.seconds = 600;
  report.info.status = "complete";
  report.info.cases_planned = count;
  for (int i = 0; i < count; ++i) {
    const bool failed = i % 100 == 99;
    const double error = failed ? 1 + i * 0.01 : 0.001 * (i % 900);
    ResultRow row = row_of(i % 2 ? "sample_softmax" : "sample_norm", i % 3 ? "warp_per_row" : "two_pass",
                           i % 5 ? DType::f32 : DType::bf16, fmt::format("rows={} cols={}", 1 + i % 77, 1 + i),
                           failed ? Kind::mismatch : Kind::pass, error, failed ? "y: an element is wrong" : "");
    if (failed) row.maps = {quarter_map("y", {1 + i % 77, 1 + i}, 64, 64)};
    row.power = {{"zeros:y", true}, {"stale_row:y", i % 4 != 0}};
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace assay
