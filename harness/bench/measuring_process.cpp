// Both ends of a request: JSON one way, a line for each row (or the roofs) the other.
#include "harness/bench/measuring_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/command.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/cuda/vendor_libraries.h"
#include "harness/op/registry.h"
#include "harness/result/row_json.h"

namespace assay {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasureOptions, noise, budget_s, min_samples, max_samples, warm_up_s, cold, seed,
                                   judged)

namespace {

using nlohmann::json;

constexpr const char* kRuns = "runs";      // the key of an answer that only tells who runs now
constexpr const char* kBegins = "begins";  // likewise, which contest is measured from now on
// Likewise, whose library makes a plan, and that it is made.
constexpr const char* kPlans = "plans";
constexpr const char* kPlanned = "planned";

json json_of(const Roofs& roofs) {
  json out = json::array();
  for (const Roof& roof : roofs) out.push_back({roof.name, roof.unit, roof.measured, roof.physical, roof.means});
  return out;
}

Roofs roofs_from(const json& in) {
  Roofs roofs;
  for (const json& roof : in) roofs.push_back({roof.at(0), roof.at(1), roof.at(2), roof.at(3), roof.at(4)});
  return roofs;
}

// Freed memory is for the next case: the references of large ones take gigabytes, and a virtual machine may
// need a second for each that the process did not have before.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

// Standard output for answers; what kernels print goes to standard error.
std::FILE* take_standard_output() {
  const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);  // no library's child writes there
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::FILE* const out = fdopen(answers, "w");
  ASSAY_CHECK(out, "a worker needs a result pipe");
  return out;
}

void answer(std::FILE* out, const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

std::vector<const Variant*> candidates_from(const json& names, const Case& c) {
  std::vector<const Variant*> candidates;
  for (const std::string name : names) {
    candidates.push_back(find_variant(c.op, name, kGpuDevice));
    ASSAY_CHECK(candidates.back(), "no variant " + name + " of " + c.op + " for the GPU");
  }
  return candidates;
}

void serve(const json& request, GpuRuntime& runtime, std::FILE* out) {
  const auto timer = (*gpu_platform())->timer(runtime);
  const MeasureOptions options = request.at("options");
  if (!request.contains("contests")) {
    const MeasuredRoofs measured = measure_roofs(runtime, *timer, options);
    json missing = json::array();
    for (const Error& error : measured.missing) missing.push_back({error.what, error.hint});
    return answer(out, {{"roofs", json_of(measured.roofs)}, {"missing", missing}});
  }
  const Roofs roofs = roofs_from(request.at("roofs"));
  size_t index = 0;
  for (const json& contest : request.at("contests")) {
    answer(out, {{kBegins, index++}});
    const auto c = parse_case(contest.at("case").get<std::string>());
    ASSAY_CHECK(c.has_value(), "the parent sent a bad case");
    const auto candidates = candidates_from(contest.at("candidates"), *c);
    std::string running;
    MeasureEvents events;
    events.begins = [&](const Variant& variant) {
      if (std::exchange(running, variant.name) != variant.name) answer(out, {{kRuns, variant.name}});
    };
    events.prepares = [&](const Variant& variant) {
      events.begins(variant);
      if (plans_for_shapes(variant, *c)) answer(out, {{kPlans, variant.name}});
    };
    events.prepared = [&](const Variant& variant) {
      if (plans_for_shapes(variant, *c)) answer(out, {{kPlanned, variant.name}});
    };
    for (const MeasuredRow& measured : measure_case(*c, candidates, runtime, *timer, roofs, options, events))
      answer(out, {{"row", to_json(measured.row)}, {"written", measured.written}, {"again", measured.again}});
    if (const GpuStatus error = runtime.finish(); error && error->sticky) return;  // the next ones need another process
  }
}

MeasuredRow measured_from(const json& in) {
  Result<ResultRow> row = row_from_json(in.at("row"));
  ASSAY_CHECK(row.has_value(), "a worker sent a bad row: " + row.error().line());
  add_origin(*row);
  return {*std::move(row), in.at("written"), in.at("again")};
}

// How a process ended that was asked.
struct Asked {
  ProcessResult::How how = ProcessResult::How::ended;
  std::string detail;  // of a crash or a timeout, one line with the last that the process printed
};

// `on_answer` gives the time within which something must follow that gives another; nothing leaves that as it is.
using OnAnswer = std::function<std::optional<std::chrono::duration<double>>(const json&)>;
Asked ask(const json& request, const MeasuringOptions& how, const OnAnswer& on_answer) {
  using Clock = Process::Clock;
  const auto in = [](std::chrono::duration<double> limit) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  };
  Clock::time_point deadline = in(how.limit);
  const auto take_answers = [&](ProcessOutput& output) {
    while (const auto line = output.next_line())
      if (const auto limit = on_answer(json::parse(*line))) deadline = in(*limit);
  };
  const auto ran = run_process({.words = {how.program, "bench-worker", request.dump()}},
                               {.deadline = &deadline, .stop = how.stop, .on_output = take_answers});
  ASSAY_CHECK(ran.has_value(), ran.error().line());
  Asked asked{ran->how, ""};
  if (ran->how == ProcessResult::How::timed_out)
    asked.detail = fmt::format("not done after {:.3g} s", how.limit.count());
  if (ran->how == ProcessResult::How::ended && !ran->end.ok()) asked.detail = ran->end.text();
  const std::string last = last_line(ran->errors);
  if (!asked.detail.empty() && !last.empty()) asked.detail += ": " + last;
  return asked;
}

}  // namespace

int measuring_main(const std::string& request) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a hanging kernel must not outlive a parent that was killed
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  keep_memory();
  signal(SIGINT, SIG_IGN);  // Ctrl-C goes to the parent, which decides
  std::FILE* const out = take_standard_output();
  const auto runtime = open_chosen_gpu();
  if (!runtime) {
    std::fprintf(stderr, "%s\n", runtime.error().line().c_str());
    return 1;
  }
  serve(json::parse(request), **runtime, out);
  return 0;
}

Result<MeasuredRoofs> measure_roofs_in_process(const MeasureOptions& options, const MeasuringOptions& how) {
  MeasuredRoofs measured;
  bool answered = false;
  const Asked end = ask({{"options", options}}, how, [&](const json& in) -> OnAnswer::result_type {
    measured.roofs = roofs_from(in.at("roofs"));
    for (const json& error : in.at("missing")) measured.missing.push_back({error.at(0), error.at(1)});
    answered = true;
    return std::nullopt;
  });
  if (!answered) return fail("the GPU's roofs could not be measured: " + end.detail, "see `assay list devices`");
  return measured;
}

OfContests<MeasuredRow> measure_in_process(const std::vector<Contest>& contests, const Roofs& roofs,
                                           const MeasureOptions& options, const MeasuringOptions& how) {
  json asked = json::array();
  for (const Contest& contest : contests) {
    json names = json::array();
    for (const Variant* variant : contest.candidates) names.push_back(variant->name);
    asked.push_back({{"case", print(contest.c)}, {"candidates", names}});
  }
  OfContests<MeasuredRow> rows(contests.size());
  size_t now = 0;                 // the contest that is measured
  std::string running, planning;  // its candidate; the one whose library makes a plan
  const Asked end = ask({{"contests", asked}, {"roofs", json_of(roofs)}, {"options", options}}, how,
                        [&](const json& in) -> OnAnswer::result_type {
                          if (in.contains(kBegins)) {
                            now = in.at(kBegins);
                            ASSAY_CHECK(now < contests.size(), "a worker sent the number of no contest");
                            running.clear();
                            return how.limit;
                          }
                          if (in.contains(kPlans)) {
                            planning = in.at(kPlans);
                            return how.plan_limit;
                          }
                          if (in.contains(kPlanned)) {
                            planning.clear();
                            return how.limit;
                          }
                          if (in.contains(kRuns))
                            running = in.at(kRuns);
                          else
                            rows[now].push_back(measured_from(in));
                          return std::nullopt;
                        });
  if (end.how == ProcessResult::How::stopped) return {};
  const bool timed_out = end.how == ProcessResult::How::timed_out;
  const bool unplanned = timed_out && !planning.empty();
  const Kind kind = unplanned ? Kind::skipped : timed_out ? Kind::timeout : Kind::crash;
  const std::string detail =
      unplanned            ? fmt::format("its library made no plan for this shape in {:.3g} s", how.plan_limit.count())
      : end.detail.empty() ? "the process ended without an answer"
                           : end.detail;
  const bool done = rows[now].size() == contests[now].candidates.size();  // it ended between two contests
  for (size_t k = 0; k < contests.size(); ++k)
    for (size_t i = rows[k].size(); i < contests[k].candidates.size(); ++i) {
      const Variant& candidate = *contests[k].candidates[i];
      const Case own = case_for(contests[k].c, candidate);
      const bool to_blame = k == now && (running.empty() || running == candidate.name);
      if (to_blame) {
        rows[k].push_back({row_for(own, kGpuDevice, kind, "while it was measured: " + detail)});
        continue;
      }
      const std::string of = done || running.empty() ? print(contests[now].c) : contests[now].c.op + "/" + running;
      rows[k].push_back({.row = row_for(own, kGpuDevice, Kind::skipped,
                                        fmt::format("the process ended while {} was measured: {}", of, detail)),
                         .again = true});
    }
  return rows;
}

}  // namespace assay
