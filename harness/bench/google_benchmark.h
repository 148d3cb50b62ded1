// Publishes measured times through Google Benchmark: its console table, its JSON file, its filters.
//
// The times are measured beforehand, interleaved with the vendor's (measure.h), which Google Benchmark cannot do. So a
// benchmark here measures nothing: it replays the kept samples of its row, each as a repetition of one iteration with
// manual time. Google Benchmark's CPU column is therefore the time of the replay, and means nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/result/row.h"

namespace assay {

// Gives Google Benchmark its flags ("--benchmark_filter=…"), in the process that publishes. Its JSON goes to
// `json_path` unless a flag names another file. Errors: a flag that it does not know, or that has no meaning for times
// that are measured already; a file that cannot be written.
Result<void> set_google_benchmark_flags(const std::vector<std::string>& flags, const std::string& json_path);

// "softmax_forward/warp_per_row/bf16/rows=4096/cols=4096/block=256": what --benchmark_filter matches. Fill, seed and
// schedule are left out.
std::string benchmark_name(const ResultRow& row);

// Publishes every PASS of `rows` that has kept samples, with the counters GB/s, TFLOP/s, of_roof and speedup of each
// sample. `context` goes into the JSON. The table goes to standard
// output, in the format that the flags name; it has a row for each aggregate, the JSON also one for each sample.
void publish(const std::vector<ResultRow>& rows, const std::map<std::string, std::string>& context);

}  // namespace assay
