// Turns a run into the values that a history keeps.
#include "harness/history/values.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "harness/compare/accuracy.h"
#include "harness/report/run_info.h"

namespace assay::history {
namespace {

using comparison::Measured;
using comparison::Series;
using comparison::Subject;

Subject group(const std::string& variant, const std::string& dtype, const std::string& device) {
  Subject subject;
  subject.variant = variant;
  subject.dtype = dtype;
  subject.name = dtype.empty() ? variant : variant + " " + dtype;
  subject.device = device;
  return subject;
}

Value value_of(const Subject& subject, const std::string& metric, const Series& series) {
  Value value;
  value.subject = subject;
  value.subject.series.clear();
  value.metric = metric;
  value.unit = series.unit;
  value.better = series.better;
  value.exact = series.exact;
  value.value = comparison::median(series.samples);
  value.samples = static_cast<int64_t>(comparison::count(series.samples));
  if (series.exact) return value;
  std::vector<double> all;
  for (const std::vector<double>& process : series.samples) all.insert(all.end(), process.begin(), process.end());
  value.interval = bench::median_interval(std::move(all));
  return value;
}

}  // namespace

std::vector<Value> values_of(const Measured& run) {
  std::vector<Value> values;
  std::map<std::string, Value> failing;
  for (const auto& [key, subject] : run.subjects) {
    for (const auto& [metric, series] : subject.series) values.push_back(value_of(subject, metric, series));
    if (!subject.judged) continue;
    Value& count = failing[subject.variant + " " + subject.dtype + " " + subject.device];
    count.subject = group(subject.variant, subject.dtype, subject.device);
    count.exact = true;
    count.samples = count.metric.empty() ? 1 : count.samples + 1;
    count.metric = kFailing;
    count.value += !subject.failure.empty();
  }
  for (auto& [name, value] : failing) values.push_back(std::move(value));
  for (const comparison::Accuracy& accuracy : comparison::accuracies(run))
    for (const auto& [metric, figure] : {std::pair{comparison::kTypicalError.metric, accuracy.typical},
                                         {comparison::kWorstError.metric, accuracy.worst}}) {
      if (!std::isfinite(figure)) continue;
      Value value;
      value.subject = group(accuracy.variant, accuracy.dtype, accuracy.device);
      value.metric = metric;
      value.value = figure;
      values.push_back(std::move(value));
    }
  return values;
}

std::string digest_of(const RunInfo& info, const std::vector<Value>& values) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](const std::string& text) {
    for (const char c : text + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  };
  mix(run_info_text(info));
  for (const Value& value : values)
    mix(fmt::format("{} {} {} {} {}", value.subject.variant, value.subject.name, value.subject.device, value.metric,
                    value.value));
  return fmt::format("{:016x}", hash);
}

}  // namespace assay::history
