// The model, and every number that it rests on.
#include "harness/bench/forecast.h"

#include <algorithm>

#include "harness/bench/processes.h"
#include "harness/device/cuda/vendor_libraries.h"
#include "harness/op/composite.h"
#include "harness/op/made_elsewhere.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

constexpr double kCores = 16;
// Measured on a core of a Xeon: 27 ns for an element of the fill `normal`, 10 to read one as a double.
constexpr double kFill_s = 27e-9 / kCores;
// Likewise, where half of the elements are written: 37 ns for an element as the reference's scalar and as what is
// expected, of which one core takes 5.4 for clearing memory whose pages all have touched.
constexpr double kTracked_s = 5.4e-9 + 31.6e-9 / kCores;
// An element of the two copies that a trial holds besides, by all cores.
constexpr double kCopied_s = 1.8e-9 / kCores;
// Reckoned. A written element: looked for poison and passed over by all cores, moved and summed up.
constexpr double kCompare_s = 1e-9 + 10e-9 / kCores;
// Measured: 100 ns for a term of a sum with its errors, which is two operations.
constexpr double kReferenceFlops = 2e7 * kCores;  // per second, of a reference with its errors
constexpr double kReferenceMax = 1e8;  // operations that it does at most, unless rows are long (op/reference.h)
constexpr double kDerivedFlops = 1.5e9 * kCores;  // per second, of inputs that follow from others, by plain loops
constexpr double kDerivedShare = 0.3;             // of a backward's operations that its forward takes
// Assumed.
constexpr double kCheck_s = 0.15;      // of a case of some thousand elements, in a worker that runs already
constexpr double kProcess_s = 0.8;     // until the first kernel runs
constexpr double kPlan_s = 0.7;        // of a library for a shape that it does not know
constexpr double kTakenPlan_s = 0.1;   // of a plan that another process of the run has made
constexpr double kHostToDevice = 8e9;  // bytes per second, of pageable memory
constexpr double kDeviceToHost = 8e9;
constexpr double kPreparing_s = 0.05;  // of a candidate: graphs, first runs

struct Elements {
  double all = 0, made = 0, written = 0, given_bytes = 0, written_bytes = 0;
  double made_there = 0, made_there_bytes = 0;  // of those, by a GPU where nobody reads them on the host
  bool derived = false;
};

Elements elements_of(const Contract& contract, const Case& c) {
  Elements elements;
  for (const TensorSpec& spec : contract.tensors) {
    double count = 1;
    for (const int64_t extent : shape_of(spec, c)) count *= static_cast<double>(extent);
    const double bytes = count * static_cast<double>(size_of(dtype_of(spec, c)));
    const Role role = role_of(spec, c);
    elements.all += count;
    elements.given_bytes += bytes;
    if (role != Role::output) elements.made += count;
    if (is_written(role)) elements.written += count, elements.written_bytes += bytes;
    elements.derived = elements.derived || spec.derive;
    const bool plain = !spec.make && (role == Role::input || role == Role::inout) && is_float(dtype_of(spec, c));
    if (plain) elements.made_there += count, elements.made_there_bytes += bytes;
  }
  return elements;
}

}  // namespace

Forecast forecast(const BenchCase& one, const MeasureOptions& options, int processes) {
  const Contract& contract = *find_op(one.c.op);
  const Elements elements = elements_of(contract, one.c);
  const auto candidates = static_cast<double>(one.candidates.size());
  double plans = 0;
  for (const Variant* variant : one.candidates) plans += plans_for_shapes(*variant, one.c) ? 1 : 0;
  const double derived_s =
      elements.derived && contract.flops ? contract.flops(one.c) * kDerivedShare / kDerivedFlops : 0;
  const double flops = contract.flops ? contract.flops(one.c) : elements.all;
  // A composite's is computed in full: each step needs all that the one before it has made.
  const double reference_s = (contract.steps.empty() ? std::min(flops, kReferenceMax) : flops) / kReferenceFlops;
  // Without a variant that is judged in all, the GPU makes plain tensors itself in all processes except the first.
  const bool by_gpu =
      !elements.derived && one.c.fill == kMadeElsewhere &&
      std::ranges::all_of(one.candidates, [&](const Variant* each) { return is_deterministic(*each, one.c); });
  const double spared = by_gpu ? processes - 1 : 0;
  // The first process fetches two runs of each candidate and judges one; the others fetch one.
  const double fetched = candidates * (processes + 1) * elements.written_bytes;
  return {.checking = (candidates * kCheck_s + plans * kPlan_s) / kCheckJobs,
          .starting = processes * (kProcess_s / kCasesOfAProcess + candidates * kPreparing_s) +
                      plans * (kPlan_s + (processes - 1) * kTakenPlan_s),
          .filling = processes * (elements.made * kFill_s + derived_s) - spared * elements.made_there * kFill_s,
          .moving = (processes * elements.given_bytes - spared * elements.made_there_bytes) / kHostToDevice +
                    fetched / kDeviceToHost,
          .sampling = processes * candidates * options.warm_up_s + options.budget_s,
          .verifying = reference_s + elements.all * kTracked_s +
                       candidates * (elements.written * kCompare_s + elements.all * kCopied_s)};
}

}  // namespace assay
