// Reports for tests: a small one with one row of each sort that sinks must cope with, one with timings of a GPU, and
// one as large as a long run's.
#pragma once

#include <fmt/format.h>

#include <limits>

#include "harness/op/registry.h"
#include "harness/report/report.h"

namespace assay {

// A text that a kernel might print: markup, quotes, separators, a terminal escape, a byte that is no UTF-8, Greek.
inline const std::string kNastyText =
    "bad <script>document.title='owned'</script> & \"quoted\", 'single'; {{data}} --> ]]> \x1b[31mred\x1b[0m \xff "
    "µ\nsecond line";

inline ResultRow row_of(const std::string& op, const std::string& variant, DType dtype, const std::string& params,
                        Kind verdict, double error_over_budget, const std::string& detail = "") {
  Case c = *parse_case("op/variant f32 " + params + " fill=normal seed=7 schedule=0");
  c.op = op;
  c.variant = variant;
  c.dtype = dtype;
  ResultRow row = row_for(c, "cpu", verdict, detail);
  double size = 1;  // of an op that is not registered
  for (const Param& param : c.params) size *= static_cast<double>(c.dim(param.name()));
  row.figures["size"] = size;
  row.figures["error_over_budget"] = error_over_budget;
  row.figures["seconds"] = 0.25;
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
                 .cases_planned = 40,
                 .gpu = {},
                 .roofs = {},
                 .libraries = {}};
  auto& rows = report.rows;
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::f32, "rows=3 cols=65", Kind::pass, 0.25));
  rows.back().sensitivity = {{"zeros:y", true}, {"rounded_lower:y", false}};
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::f32, "rows=1 cols=1", Kind::pass, 0));
  rows.push_back(row_of("sample_softmax", "warp_per_row", DType::bf16, "rows=64 cols=4096", Kind::pass, 0.5012345678));
  rows.back().sensitivity = {{"zeros:y", true}, {"rounded_lower:y", true}};
  set_statistics(rows.back(), sample_statistics());
  rows.back().figures["either_way"] = 12;
  rows.push_back(row_of("sample_attention", "flash_tiled", DType::bf16, "S=130 H=2 D=64 causal=1", Kind::mismatch,
                        kInfinity,
                        "dq: 8320 of 16640 elements are wrong, the first at [65,0,32]: got 0.125, want 0.5 ± 0.01"));
  rows.back().worst = {{"dq", "[129,1,63]", kNan, 0.5, kInfinity}, {"dq", "[65,0,32]", 0.125, 0.5, 37.5}};
  rows.back().maps = {quarter_map("dq", {130, 2, 64}, 52, 64), quarter_map("dbias", {64}, 1, 64)};
  rows.push_back(row_of("sample_attention", "flash_tiled", DType::bf16, "S=65 H=1 D=1 causal=1", Kind::mismatch, 37.5,
                        "dq: 1 of 65 elements are wrong, the first at [64,0,0]: got 0.125, want 0.5 ± 0.01"));
  rows.back().shrunk_from = rows[3].line();
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

// Registers, once, two ops of which the timed report has cases: one that does arithmetic and one that only moves data.
inline void register_timed_ops() {
  static const RegisterOp kProduct({.name = "sample_product",
                                    .summary = "c = a b",
                                    .dims = {{.name = "n", .meaning = "rows and columns"}},
                                    .tensors = {{.name = "a", .role = Role::input, .shape = {"n", "n"}},
                                                {.name = "b", .role = Role::input, .shape = {"n", "n"}},
                                                {.name = "c", .role = Role::output, .shape = {"n", "n"}}},
                                    .reference = {},
                                    .flops = [](const Case& c) {
                                      const auto n = static_cast<double>(c.dim("n"));
                                      return 2 * n * n * n;
                                    }});
  static const RegisterOp kCopy({.name = "sample_copy",
                                 .summary = "y = x",
                                 .dims = {{.name = "n", .meaning = "elements"}},
                                 .tensors = {{.name = "x", .role = Role::input, .shape = {"n"}},
                                             {.name = "y", .role = Role::output, .shape = {"n"}}},
                                 .reference = {}});
}

// The roof of a sample case.
struct SampleRoof {
  std::string text;
  double us = 0;  // that the case takes at this roof
};

// A row whose variant reaches `of_roof` of its roof, within 1 %. Its samples are at 1980 MHz except the last, which is
// `last_mhz`, and discarded when that is below 1500.
inline ResultRow timed_row(const std::string& op, const std::string& variant, DType dtype, int64_t n,
                           const SampleRoof& roof, double of_roof, double last_mhz = 1965) {
  ResultRow row = row_of(op, variant, dtype, fmt::format("n={}", n), Kind::pass, 0.25);
  row.device = "gpu";
  FigureValues& figures = row.figures;
  const double us = figures["median_us"] = roof.us / of_roof;
  figures["low_us"] = 0.99 * us;
  figures["high_us"] = 1.02 * us;
  figures["noise"] = 0.015;
  figures["median_cycles"] = 1980 * us;
  figures["gb_per_s"] = figures["compulsory_bytes"] / us / 1e3;
  figures["tflop_per_s"] = figures["flops"] / us / 1e6;
  figures["of_roof"] = of_roof;
  figures["discarded"] = last_mhz < 1500 ? 1 : 0;
  figures["samples"] = 4 - figures["discarded"];
  row.timing = Timing{
      .gpu = "Example GPU <b>", .roof = roof.text, .vendor = "", .verified = true, .end = "noise", .samples = {}};
  for (const double mhz : {1980.0, 1980.0, 1980.0, last_mhz}) row.timing->samples.push_back({us, mhz, mhz < 1500});
  return row;
}

// Adds what `vendor`, a row of the same case, took over the row's own time.
inline ResultRow against(const ResultRow& vendor, ResultRow row) {
  row.timing->vendor = vendor.id();
  const double speedup = row.figures["speedup"] = vendor.figures["median_us"] / row.figures["median_us"];
  row.figures["speedup_low"] = 0.98 * speedup;
  row.figures["speedup_high"] = 1.03 * speedup;
  return row;
}

// Rows of `assay bench`: variants that are faster and slower than a vendor's and about as fast, a time that is too
// good, a wrong output, throttled samples, a name with markup, and an op that is not registered.
inline Report timed_report() {
  register_timed_ops();
  Report report;
  RunInfo& info = report.info;
  info.version = "0.1.0";
  info.command = "assay bench --out reports/bench";
  info.seed = 1;
  info.device = "gpu";
  info.started = "2026-01-31T12:00:00Z";
  info.seconds = 60;
  info.status = "complete";
  info.gpu = GpuInfo{.index = 0,
                     .name = "Example GPU <b>",
                     .uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef",
                     .capability = 90,
                     .driver = "13.0",
                     .runtime = "13.0",
                     .multiprocessors = 132,
                     .memory_bytes = 150'000'000'000,
                     .l2_bytes = 62'914'560,
                     .sm_mhz = 1980,
                     .memory_bytes_per_s = 4.8e12};
  info.roofs = {{"copy", "TB/s", 4.25, 4.8}, {"bf16 GEMM", "TFLOP/s", 792, 989}, {"f32 GEMM", "TFLOP/s", 50, 0}};
  info.libraries = {{"cuBLAS", "13.0.2"}, {"cuDNN", "9.19.0 <b>"}};
  auto& rows = report.rows;
  for (const int64_t n : {512, 1024, 2048, 4096, 8192}) {
    const auto size = static_cast<double>(n);
    const SampleRoof roof{"bf16 GEMM 792 TFLOP/s", 2 * size * size * size / 792e6};
    const double ease = size / (size + 1000);  // small cases cannot fill the GPU
    ResultRow vendor = timed_row("sample_product", "vendor_gemm", DType::bf16, n, roof, 0.95 * ease);
    vendor.origin.library = "a library";
    rows.push_back(against(vendor, timed_row("sample_product", "tiled", DType::bf16, n, roof, 0.55 * ease)));
    rows.push_back(against(vendor, timed_row("sample_product", "pipelined", DType::bf16, n, roof,
                                             (n < 2048    ? 1.1
                                              : n == 2048 ? 0.96
                                                          : 0.94) *
                                                 ease,
                                             n == 8192 ? 1200 : 1965)));
    rows.push_back(vendor);
  }
  const SampleRoof largest{"bf16 GEMM 792 TFLOP/s", 2 * 8192.0 * 8192.0 * 8192.0 / 792e6};
  rows.push_back(timed_row("sample_product", "skips_half", DType::bf16, 8192, largest, 1.9));
  rows.back().decide(Kind::timing_suspect, "a median of 730.6 µs would be 1505 TFLOP/s; the GPU can do 989");
  rows.push_back(row_of("sample_product", "stops_early", DType::bf16, "n=8192", Kind::mismatch, 0.25,
                        "c: the last timed run did not write it"));
  rows.back().device = "gpu";
  rows.back().timing.emplace().gpu = "Example GPU <b>";
  rows.back().figures["samples"] = rows.back().figures["discarded"] = 0;
  for (const int64_t n : {1 << 20, 1 << 24, 1 << 28}) {
    const SampleRoof roof{"copy 4.25 TB/s", 8.0 * static_cast<double>(n) / 4.25e6};
    rows.push_back(timed_row("sample_copy", "<img/src=x/onerror=document.title='owned'>", DType::f32, n, roof, 0.5));
    rows.push_back(timed_row("sample_copy", "one_per_thread", DType::f32, n, roof, 0.9));
    rows.back().timing->end = "budget";
  }
  rows.back().timing->verified = false;
  rows.push_back(rows.front());
  rows.back().c.op = "unregistered_op";
  rows.back().timing->vendor.clear();
  FigureValues& figures = rows.back().figures;  // those of the contract and of a vendor are not known
  for (double* unknown :
       {&figures["speedup"], &figures["speedup_low"], &figures["speedup_high"], &figures["tflop_per_s"],
        &figures["compulsory_bytes"], &figures["flops"], &figures["intensity"]})
    *unknown = std::numeric_limits<double>::quiet_NaN();
  info.cases_planned = static_cast<int64_t>(rows.size());
  return report;
}

// 400 cases of which those with an odd size fail, with long lines.
inline Report odd_sizes() {
  Report report;
  report.info.status = "complete";
  for (int i = 0; i < 400; ++i) {
    const bool fails = i % 2 != 0;
    report.rows.push_back(row_of("op", "v", DType::f32, fmt::format("rows={} cols={}", 1 + i % 7, i),
                                 fails ? Kind::mismatch : Kind::pass, fails ? 2 : 0.5,
                                 fails ? "y: 1 of 9 elements are wrong, the first at [0,0]: got 1, want 2 ± 0.1" : ""));
    report.rows.back().origin.source = "/a/folder/with/a/long/name/my_kernels.cu";
    if (fails) report.rows.back().worst = std::vector<WorstElement>(5, {"y", "[0,0]", 1, 2, 10});
  }
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
    row.sensitivity = {{"zeros:y", true}, {"stale_row:y", i % 4 != 0}};
    report.rows.push_back(std::move(row));
  }
  return report;
}

}  // namespace assay
