// Shows the steps of a bench, and their times, without running it.

#include <algorithm>

#include "harness/bench/forecast.h"
#include "harness/cli/bench_run.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

// The GPU's variants where this build has them, else those of the executor, which are of the same sources.
const char* device_of_plan() {
  why_no_gpu();  // loads them
  const auto& all = variants();
  const bool built = std::ranges::any_of(all, [](const Variant* each) { return each->device == kGpuDevice; });
  return built ? kGpuDevice : "cpu";
}

void add(const Forecast& more, Forecast& sum) {
  sum.checking += more.checking;
  sum.starting += more.starting;
  sum.filling += more.filling;
  sum.moving += more.moving;
  sum.sampling += more.sampling;
  sum.verifying += more.verifying;
}

}  // namespace

MeasureOptions measure_options(const BenchArguments& arguments) {
  MeasureOptions options;
  options.noise = arguments.noise;
  options.budget_s = arguments.case_budget_s;
  options.cold = arguments.cold;
  options.seed = arguments.seed;
  return options;
}

Result<int> show_bench_plan(const BenchArguments& arguments, const Suite& suite) {
  const auto plan = ASSAY_TRY(plan_bench(suite, arguments.select, device_of_plan()));
  say("by a model of a machine with an H100 and 16 cores, {} processes for each case, {:g} s of sampling\n",
      arguments.processes, arguments.case_budget_s);
  say("  until     takes   case\n");
  Forecast sum;
  double until = kRoofs_s;
  size_t left = 0;
  for (const BenchCase& one : plan.cases) {
    const bool starts = arguments.budget_s == 0 || until < arguments.budget_s;
    if (!starts) {
      ++left;
      say("   left             {}\n", print(one.c));
      continue;
    }
    const Forecast own = forecast(one, measure_options(arguments), arguments.processes);
    add(own, sum);
    until += own.total();
    say("{:>5.0f} s  {:>6.1f} s   {}\n", until, own.total(), print(one.c));
  }
  say("{} of {} cases in {:.0f} s: roofs {:.0f}, checking {:.0f}, starting {:.0f}, filling {:.0f}, moving {:.0f}, "
      "sampling {:.0f}, verifying {:.0f}\n",
      plan.cases.size() - left, plan.cases.size(), until, kRoofs_s, sum.checking, sum.starting, sum.filling, sum.moving,
      sum.sampling, sum.verifying);
  if (left > 0) say("{} are left for another call with --resume\n", left);
  return kExitPass;
}

}  // namespace assay
