// Replaying samples into Google Benchmark.
#include "harness/bench/google_benchmark.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>

#include "harness/base/check.h"
#include "harness/case/case.h"

namespace assay {
namespace {

constexpr std::string_view kOut = "--benchmark_out=", kFormat = "--benchmark_format=";

// Flags about measuring, which is over, and about the file's format, which is always JSON.
constexpr std::array<std::string_view, 5> kMeaningless{
    "--benchmark_min_time", "--benchmark_min_warmup_time", "--benchmark_repetitions",
    "--benchmark_enable_random_interleaving", "--benchmark_out_format"};

// Google Benchmark ends the process over a wrong format or an unwritable file, so both are looked at before.
std::optional<Error> wrong(const std::string& flag) {
  for (const std::string_view meaningless : kMeaningless)
    if (flag.substr(0, flag.find('=')) == meaningless)
      return Error{fmt::format("{} has no meaning here: times are measured before they are published", meaningless),
                   "see `assay bench --help` for how long is measured"};
  if (flag.starts_with(kFormat)) {
    const std::string format = flag.substr(kFormat.size());
    if (format != "console" && format != "json" && format != "csv")
      return Error{fmt::format("unknown format in {}", flag), "use console, json or csv"};
  }
  if (flag.starts_with(kOut)) {
    const std::string path = flag.substr(kOut.size());
    if (!std::ofstream(path, std::ios::app))
      return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno)), "name another file"};
  }
  return std::nullopt;
}

std::vector<double> kept_seconds(const Timing& timing) {
  std::vector<double> seconds;
  for (const TimingSample& sample : timing.samples)
    if (!sample.discarded) seconds.push_back(sample.us * 1e-6);
  return seconds;
}

// The figures of a row are of its median; those of one sample are in proportion.
void count(benchmark::State& state, const FigureValues& figures, double seconds) {
  const double faster = figures["median_us"] * 1e-6 / seconds;
  const auto counter = [&](const char* name, double of_median) {
    if (!std::isnan(of_median)) state.counters[name] = of_median * faster;
  };
  counter("GB/s", figures["gb_per_s"]);
  counter("TFLOP/s", figures["tflop_per_s"]);
  counter("of_roof", figures["of_roof"]);
  counter("speedup", figures["speedup"]);
}

// False: the row has no samples.
bool add(const ResultRow& row) {
  const std::vector<double> seconds = kept_seconds(*row.timing);
  if (seconds.empty()) return false;
  const auto replay = [figures = row.figures, seconds, next = size_t{0}](benchmark::State& state) mutable {
    ASSAY_CHECK(next < seconds.size(), "Google Benchmark asks for more repetitions than it was told of");
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(seconds[next]);
    count(state, figures, seconds[next]);
    ++next;
  };
  benchmark::RegisterBenchmark(benchmark_name(row).c_str(), replay)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(1)
      ->Repetitions(static_cast<int>(seconds.size()))
      ->DisplayAggregatesOnly(true);
  return true;
}

// Google Benchmark adds the number of repetitions to a name, and the number of samples differs from run to run: names
// that differ cannot be compared. So names are cut back on their way to the reporter that prints them.
class SteadyNames : public benchmark::BenchmarkReporter {
 public:
  explicit SteadyNames(benchmark::BenchmarkReporter& printer, bool own_stream)
      : printer_(printer), own_stream_(own_stream) {}

  bool ReportContext(const Context& context) override {
    if (own_stream_) printer_.SetOutputStream(&GetOutputStream());
    return printer_.ReportContext(context);
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> renamed = runs;
    for (Run& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.repetitions.clear();
      run.run_name.time_type.clear();
    }
    printer_.ReportRuns(renamed);
  }
  void Finalize() override { printer_.Finalize(); }

 private:
  benchmark::BenchmarkReporter& printer_;
  bool own_stream_;
};

}  // namespace

Result<void> set_google_benchmark_flags(const std::vector<std::string>& flags, const std::string& json_path) {
  static std::string program = "assay";  // Google Benchmark keeps the pointer
  std::vector<std::string> words = {std::string(kOut) + json_path};
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> argv = {program.data()};
  for (std::string& word : words) {
    if (const auto error = wrong(word)) return tl::unexpected(*error);
    argv.push_back(word.data());
  }
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) return fail(fmt::format("Google Benchmark does not know {}", argv[1]), "see its user guide for flags");
  return {};
}

std::string benchmark_name(const ResultRow& row) {
  const Case& c = row.c;
  std::string text = fmt::format("{}/{}", c.id(), name(c.dtype));
  for (const Param& param : c.params) text += fmt::format("/{}={}", param.name(), param.text());
  if (c.block) text += fmt::format("/block={}", *c.block);
  return text;
}

void publish(const std::vector<ResultRow>& rows, const std::map<std::string, std::string>& context) {
  benchmark::ClearRegisteredBenchmarks();
  for (const auto& [key, value] : context) benchmark::AddCustomContext(key, value);
  bool any = false;
  for (const ResultRow& row : rows)
    if (row.verdict == Kind::pass && row.timing) any |= add(row);
  if (!any) return;  // Google Benchmark would complain that its filter matches nothing
  benchmark::JSONReporter json;
  benchmark::BenchmarkReporter& console = *benchmark::CreateDefaultDisplayReporter();
  std::ostream nowhere(nullptr);
  console.SetErrorStream(&nowhere);  // caches and load of the CPU, which these times have nothing to do with
  SteadyNames display(console, false), file(json, true);
  benchmark::RunSpecifiedBenchmarks(&display, &file);
  console.SetErrorStream(&std::cerr);
}

}  // namespace assay
