// Turns JSON of Google Benchmark into measurements.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/compare/measured.h"

namespace assay::comparison {
namespace {

using nlohmann::json;

constexpr const char* kCpuTime = "CPU time";

Result<double> ns_in(const std::string& unit) {
  static const std::map<std::string, double> kUnits{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const auto found = kUnits.find(unit);
  if (found == kUnits.end()) return fail("'" + unit + "' is no unit of time", "use ns, us, ms or s");
  return found->second;
}

bool has_wall_time_only(const std::string& name) {
  return name.find("/real_time") != std::string::npos || name.find("/manual_time") != std::string::npos;
}

Result<void> add_time(Subject& subject, const std::string& metric, double ns) {
  if (!(ns > 0) || !std::isfinite(ns)) return fail(metric + " is not above 0", "measure it again");
  Series& series = subject.series[metric];
  series.verb = "takes";
  series.unit = "ns";
  if (series.samples.empty()) series.samples.emplace_back();  // one program is one process
  series.samples.front().push_back(ns);
  return {};
}

Result<void> add_benchmark(Measured& measured, const json& in) {
  const std::string name = in.value("run_name", in.at("name").get<std::string>());
  Subject& subject = measured.subjects[name];
  subject.variant = subject.name = name;
  if (in.value("error_occurred", false)) {
    subject.failure = in.value("error_message", "it failed");
    return {};
  }
  const auto unit = ns_in(in.value("time_unit", "ns"));
  if (!unit) return tl::unexpected(unit.error());
  ASSAY_TRY(add_time(subject, kTime, in.at("real_time").get<double>() * *unit));
  if (has_wall_time_only(name)) return {};
  return add_time(subject, kCpuTime, in.at("cpu_time").get<double>() * *unit);
}

RunInfo info_from(const json& context) {
  RunInfo info;
  info.started = context.value("date", "");
  info.command = context.value("executable", "");
  info.host_cpu = context.value("host_name", "");
  info.status = "complete";
  return info;
}

}  // namespace

Result<Measured> google_benchmark_from(const std::string& text) {
  Measured measured;
  bool aggregates = false;
  size_t index = 0;
  try {
    const json in = json::parse(text);
    if (in.contains("context")) measured.info = info_from(in.at("context"));
    measured.info.status = "complete";
    for (const json& benchmark : in.at("benchmarks")) {
      ++index;
      if (benchmark.value("run_type", "iteration") == "aggregate") {
        aggregates = true;
        continue;
      }
      if (auto added = add_benchmark(measured, benchmark); !added)
        return fail(fmt::format("benchmark {}: {}", index, added.error().what), added.error().hint);
    }
  } catch (const json::exception& error) {
    return fail(index == 0 ? error.what() : fmt::format("benchmark {}: {}", index, error.what()),
                "write it with --benchmark_out=FILE --benchmark_out_format=json");
  }
  if (measured.subjects.empty() && aggregates)
    return fail("it has aggregates only, and no samples",
                "run it with --benchmark_repetitions=30 --benchmark_report_aggregates_only=false");
  return measured;
}

}  // namespace assay::comparison
