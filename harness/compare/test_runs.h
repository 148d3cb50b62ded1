// Small runs for tests.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/compare.h"

namespace assay::comparison {

inline Measured test_run(uint64_t seed = 1) {
  Measured run;
  run.path = "reports/some";
  run.info.seed = seed;
  run.info.status = "complete";
  run.info.compiler = "g++ 12.2";
  return run;
}

inline Subject& add_subject(Measured& run, const std::string& params, const std::string& variant = "softmax/warp") {
  const std::string line = variant + " f32 " + params + " fill=normal seed=7 block=128 schedule=0";
  Subject& subject = run.subjects[line + " on cpu"];
  subject.variant = variant;
  subject.dtype = "f32";
  subject.name = line;
  subject.device = "cpu";
  subject.again = "assay replay '" + line + "'";
  return subject;
}

inline void set_exact(Subject& subject, const std::string& metric, double value, Better better = Better::lower) {
  subject.series[metric] = {.unit = "", .better = better, .exact = true, .samples = {{value}}};
}

// `n` samples around `ns`, 0.1 % apart.
inline void set_times(Subject& subject, double ns, size_t n = 30) {
  std::vector<double> samples;
  for (size_t i = 0; i < n; ++i) samples.push_back(ns * (1 + 0.001 * static_cast<double>(i * 7 % n)));
  subject.series[kTime] = {.unit = "ns", .verb = "takes", .samples = {std::move(samples)}};
}

// The only line of this metric.
inline Line line_of(const Comparison& comparison, const std::string& metric) {
  for (const Line& line : comparison.lines)
    if (line.metric == metric) return line;
  Line none;
  none.metric = "no line of " + metric;
  return none;
}

}  // namespace assay::comparison
