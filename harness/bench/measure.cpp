// The spine of measuring a case, and what each step decides.
#include "harness/bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/rng.h"
#include "harness/bench/candidate.h"
#include "harness/bench/estimates.h"
#include "harness/bench/figures.h"
#include "harness/bench/gpu_stopwatch.h"
#include "harness/bench/sampling.h"
#include "harness/bench/verify.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/judge/unsupported.h"
#include "harness/op/composite.h"
#include "harness/op/launch_choice.h"
#include "harness/op/made_elsewhere.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using bench::Candidate;

const Contract& contract_of(const Case& c) {
  const Contract* contract = find_op(c.op);
  ASSAY_CHECK(contract, "no op '" + c.op + "'");
  return *contract;
}

// A candidate on its way to a row.
struct Entry {
  const Variant& variant;
  std::unique_ptr<Candidate> candidate;
  std::vector<TimingSample> samples = {};
  std::string end = {};
  std::vector<bench::Fetched> fetched = {};
  std::optional<ResultRow> row = {};  // set when it is decided; from then on it does not run
  uint64_t written = 0;
  bool again = false;
};

// The declarations of all that a run consists of: with its data, they decide on the expected values.
std::string declarations_of(const Variant& variant, const Case& c) {
  std::string all;
  for (const Variant* part : parts_of(variant, c)) all += assay::declarations_of(*part) + ";";
  return all;
}

// Scratch memory that this many times the case's tensors and more would fill the GPU, and no model has it: scores that
// are stored, for instance.
constexpr double kWorkspaceMax = 4e9, kWorkspaceShare = 4;

class Measurement {
 public:
  Measurement(const Case& c, const std::vector<const Variant*>& variants, GpuRuntime& runtime, GpuTimer& timer,
              const Roofs& roofs, const MeasureOptions& options, const MeasureEvents& events)
      : contract_(contract_of(c)),
        given_(tensors_of(c, variants, options)),
        shared_(runtime, given_, std::move(made_there_), std::move(poisoned_there_)),
        runtime_(runtime),
        timer_(timer),
        roofs_(roofs),
        options_(options),
        events_(events),
        l2_bytes_(static_cast<double>(runtime.info().l2_bytes)),
        rng_(Rng::stream(options.seed, "verified run")) {
    for (const Variant* v : variants) {
      const auto begins = [this, v] { tell(events_.begins, *v); };
      entries_.push_back({*v, std::make_unique<Candidate>(*v, case_for(c, *v), shared_, runtime, timer, begins)});
    }
  }

  // Refuses, before anything runs, candidates that do not take the case, or not in this memory.
  void refuse() {
    for_undecided([&](Entry& entry) {
      const Case& own = entry.candidate->c();
      if (auto why = why_unsupported(contract_, entry.variant, own))
        return decide(entry, Kind::unsupported, std::move(*why));
      const double workspace =
          entry.variant.workspace_bytes ? static_cast<double>(entry.variant.workspace_bytes(own)) : 0;
      const double tensors = set_bytes(1);
      if (workspace > std::max(kWorkspaceMax, kWorkspaceShare * tensors))
        decide(entry, Kind::skipped,
               fmt::format("its workspace of {:.3g} GB is out of proportion to {:.3g} GB of tensors", workspace / 1e9,
                           tensors / 1e9));
    });
  }

  // One set of tensors for each candidate; how long runs on it take decides on more.
  void prepare() {
    if (undecided().empty() || !add_set()) return;
    for_undecided([&](Entry& entry) {
      tell(events_.prepares, entry.variant);
      check(entry, entry.candidate->prepare());
      tell(events_.prepared, entry.variant);
    });
    const size_t sets = sets_wanted();
    if (sets == 1) return;
    while (shared_.sets() < sets)
      if (!add_set()) return;
    for_undecided([&](Entry& entry) { check(entry, entry.candidate->prepare()); });
  }

  // When a candidate fails, the others begin anew: samples from before and after would not be interleaved.
  void sample() {
    for (auto entries = undecided(); !entries.empty(); entries = undecided())
      if (warm_up(entries) && interleave(entries) && last_run(entries)) return;
  }

  void verify() {
    const ProfilerRange range(timer_, "verification");
    std::map<std::string, Expected> expected;  // by the precision that a variant declares
    for_undecided([&](Entry& entry) {
      set_current_case(print(entry.candidate->c()));
      if (!is_judged(entry)) {
        entry.row = row_for(entry.candidate->c(), entry.variant.device);
        return add_figures(entry);
      }
      Trial trial(contract_, entry.variant, entry.candidate->c(), given_);
      Expected& known = expected[declarations_of(entry.variant, entry.candidate->c())];
      trial.expected = std::move(known);
      const Findings findings = bench::verify(trial, std::move(entry.fetched));
      known = std::move(trial.expected);
      entry.row = std::move(trial).conclude(findings);
      if (entry.row->verdict == Kind::pass) add_figures(entry);
    });
  }

  void compare() {
    std::vector<ResultRow*> rows;
    std::vector<const Variant*> variants;
    for (Entry& entry : entries_) {
      rows.push_back(&*entry.row);
      variants.push_back(&entry.variant);
    }
    bench::compare_with_vendors(rows, variants);
  }

  std::vector<MeasuredRow> rows(double seconds) && {
    std::vector<MeasuredRow> rows;
    for (Entry& entry : entries_) {
      entry.row->figures["seconds"] = seconds / static_cast<double>(entries_.size());
      rows.push_back({std::move(*entry.row), entry.written, entry.again});
    }
    return rows;
  }

 private:
  // Where nothing is judged, nobody reads inputs here: the GPU makes what it can itself.
  Tensors tensors_of(const Case& c, const std::vector<const Variant*>& variants, const MeasureOptions& options) {
    const bool judged = options.judged ||
                        std::ranges::any_of(variants, [&](const Variant* each) { return !is_deterministic(*each, c); });
    const bool derived =
        std::ranges::any_of(contract_.tensors, [](const TensorSpec& spec) { return spec.derive != nullptr; });
    if (judged || derived) return make_tensors(contract_, c);
    MadeElsewhere elsewhere;
    Tensors tensors = make_tensors(contract_, c);
    made_there_ = std::move(elsewhere.counters);
    poisoned_there_ = std::move(elsewhere.outputs);
    return tensors;
  }

  static void tell(const std::function<void(const Variant&)>& event, const Variant& variant) {
    if (event) event(variant);
  }

  std::vector<Entry*> undecided() {
    std::vector<Entry*> open;
    for (Entry& entry : entries_)
      if (!entry.row) open.push_back(&entry);
    return open;
  }

  // `what` may decide entries that are still to come.
  void for_undecided(const std::function<void(Entry&)>& what) {
    for (Entry& entry : entries_)
      if (!entry.row) what(entry);
  }

  void decide(Entry& entry, Kind kind, std::string why) {
    entry.row = row_for(entry.candidate->c(), entry.variant.device, kind, std::move(why));
  }

  void skip_all(const std::string& why) {
    for_undecided([&](Entry& entry) { decide(entry, Kind::skipped, why); });
  }

  // False: what was tried with this candidate failed, and it is out; so are all when the GPU has failed for good.
  bool check(Entry& entry, const Result<void>& outcome) {
    if (outcome) return true;
    const GpuStatus error = runtime_.finish();
    const bool lost = error && error->sticky;
    const auto refusal = lost ? std::nullopt : entry.candidate->refusal();
    decide(entry, refusal ? verdict_of(*refusal) : Kind::crash, "while it was timed: " + outcome.error().line());
    if (lost) {
      for_undecided([](Entry& other) { other.again = true; });
      skip_all("the GPU failed while " + entry.candidate->c().id() + " was timed; measure again without it");
    }
    return false;
  }
  bool check(Entry& entry, const Error& error) { return check(entry, Result<void>(tl::unexpect, error)); }

  // False: nobody is left whose memory fits, and the rows report that. A candidate without room does not stop the
  // others.
  bool add_set() {
    if (const GpuStatus error = shared_.add_set()) {
      skip_all(fmt::format("the tensors are not on the GPU, {:.3g} GB: {}",
                           set_bytes(1) * static_cast<double>(shared_.sets() + 1) / 1e9, error->text));
      return false;
    }
    for (Entry* entry : undecided()) {
      const GpuStatus error = entry->candidate->add_set();
      if (!error) continue;
      entry->candidate->release();
      decide(*entry, error->out_of_memory ? Kind::skipped : Kind::crash,
             fmt::format("its outputs and workspace are not on the GPU, {:.3g} GB: {}",
                         static_cast<double>(entry->candidate->set_bytes() * shared_.sets()) / 1e9, error->text));
    }
    return !undecided().empty();
  }

  double set_bytes(size_t candidates) const {
    double bytes = 0;
    for (const Tensor& tensor : given_)
      bytes += static_cast<double>(tensor.bytes() * (is_written(tensor.role()) ? candidates : 1));
    return bytes;
  }

  // Returns as many as the quickest candidate needs, so that what the GPU takes to begin a region weighs the same on
  // all.
  size_t sets_wanted() {
    int sets = 1;
    for_undecided([&](Entry& entry) {
      auto timed = entry.candidate->time(options_.cold);
      if (timed && timed->us / kUsPerS > options_.budget_s) return decide(entry, Kind::skipped, too_slow(*timed));
      if (timed) timed = entry.candidate->time(options_.cold);  // the first may still warm something up
      if (timed)
        sets = std::max(sets, bench::sets_for(timed->us, set_bytes(1), l2_bytes_, options_.cold));
      else
        check(entry, timed.error());
    });
    return static_cast<size_t>(sets);
  }

  // A candidate that would have every run of a process and more, and the others' time with it.
  std::string too_slow(const TimingSample& run) const {
    return fmt::format("one run takes {:.3g} s, and all runs of a process have {:.3g} s; --case-budget gives them more",
                       run.us / kUsPerS, options_.budget_s);
  }

  size_t any_set() { return rng_.below(shared_.sets()); }

  static std::vector<Candidate*> candidates_of(const std::vector<Entry*>& entries) {
    std::vector<Candidate*> candidates;
    for (Entry* entry : entries) candidates.push_back(entry->candidate.get());
    return candidates;
  }

  bool warm_up(const std::vector<Entry*>& entries) {
    const ProfilerRange range(timer_, "warm-up");
    bench::GpuStopwatch stopwatch(candidates_of(entries), timer_, options_.cold);
    const auto failed = bench::warm_up(stopwatch, entries.size(), options_.warm_up_s);
    return !failed || check(*entries[failed->candidate], failed->error);
  }

  bool interleave(const std::vector<Entry*>& entries) {
    const ProfilerRange range(timer_, "sampling");
    // Nobody knows beforehand which run is verified; it comes even when noise ends the sampling early.
    const int64_t verified_run = rng_.between(0, std::max(options_.min_samples, 1) - 1);
    const bench::VerifiedRun verified{verified_run, any_set()};
    bench::GpuStopwatch stopwatch(candidates_of(entries), timer_, options_.cold,
                                  options_.judged ? std::optional(verified) : std::nullopt);
    auto sampled = bench::sample(stopwatch, entries.size(), bench::sampling_options(options_, runtime_.info()));
    if (sampled.error) return check(*entries[sampled.failed], *sampled.error);
    for (size_t i = 0; i < entries.size(); ++i) {
      Entry& entry = *entries[i];
      entry.samples = std::move(sampled.samples[i]);
      entry.end = sampled.ends[i];
      entry.fetched.clear();
      if (!stopwatch.fetched(i).empty())
        entry.fetched.push_back({"a run in the middle of those timed", std::move(stopwatch.fetched(i))});
    }
    return true;
  }

  // One more timed run of each, in no figure: its outputs are what counts.
  bool last_run(const std::vector<Entry*>& entries) {
    const ProfilerRange range(timer_, "last run");
    for (Entry* entry : entries) {
      const auto timed = entry->candidate->time_and_fetch(options_.cold, any_set(), &last_);
      if (!timed) return check(*entry, timed.error());
      entry->written = bench::checksum(last_);
      const bool is_new = entry->fetched.empty() || bench::checksum(entry->fetched.back().written) != entry->written;
      if (is_judged(*entry) && is_new) entry->fetched.push_back({"the last run", last_});
    }
    return true;
  }

  bool is_judged(const Entry& entry) const {
    return options_.judged || !is_deterministic(entry.variant, entry.candidate->c());
  }

  void add_figures(Entry& entry) {
    ResultRow& row = *entry.row;
    const Cost cost = cost_of(contract_, entry.variant, entry.candidate->c());
    row.timing = Timing{.gpu = runtime_.info().name,
                        .roof = "",
                        .vendor = "",
                        .verified = true,
                        .end = entry.end,
                        .samples = std::move(entry.samples)};
    bench::add_figures(row, cost, roofs_);
    if (bench::kept_us(row.timing->samples).empty()) {
      row.decide(Kind::skipped,
                 fmt::format("every sample was taken below {:.0f} % of the default clock; look at nvidia-smi",
                             100 * bench::kThrottledShare));
    } else if (auto why = impossible(row.figures["median_us"], cost, roofs_, l2_bytes_, options_.cold)) {
      row.decide(Kind::timing_suspect, std::move(*why));
    }
  }

  const Contract& contract_;
  std::map<std::string, uint64_t> made_there_;  // by tensors_of, as the next
  std::set<std::string> poisoned_there_;
  const Tensors given_;
  bench::SharedTensors shared_;
  GpuRuntime& runtime_;
  GpuTimer& timer_;
  const Roofs& roofs_;
  const MeasureOptions& options_;
  const MeasureEvents& events_;
  const double l2_bytes_;
  Rng rng_;
  Tensors last_;  // what the last run of a candidate wrote; its memory is the next one's
  std::vector<Entry> entries_;
};

}  // namespace

Case case_for(const Case& c, const Variant& variant) {
  Case own = c;
  own.variant = variant.name;
  if (!variant.any_grid) own.grid.reset();
  const std::vector<int>& blocks = variant.blocks;
  if (blocks.empty()) {
    own.block.reset();
  } else if (!c.block || std::ranges::find(blocks, *c.block) == blocks.end()) {
    own.block = usual_blocks(variant).front();
  }
  return own;
}

std::vector<MeasuredRow> measure_case(const Case& c, const std::vector<const Variant*>& candidates, GpuRuntime& runtime,
                                      GpuTimer& timer, const Roofs& roofs, const MeasureOptions& options,
                                      const MeasureEvents& events) {
  if (candidates.empty()) return {};
  const ProfilerRange op_range(timer, c.op);
  const ProfilerRange case_range(timer, print(c));
  const double begin_s = timer.now_s();
  Measurement measurement(c, candidates, runtime, timer, roofs, options, events);
  measurement.refuse();   // who cannot take part
  measurement.prepare();  // tensors to the GPU, graphs
  measurement.sample();   // warm-up, then A B B A
  measurement.verify();   // what the timed runs wrote
  measurement.compare();  // with the vendor's
  return std::move(measurement).rows(timer.now_s() - begin_s);
}

}  // namespace assay
