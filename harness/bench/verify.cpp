// Judging the outputs of timed runs.
#include "harness/bench/verify.h"

#include <fmt/format.h>

#include <utility>

namespace assay::bench {
namespace {

// Where the reference computes only some rows, poison still shows unwritten elements in all of them. No right kernel
// writes its bits: they are no NaN that arithmetic makes, and no index. A byte may be data, whatever it is.
std::optional<Finding> unwritten(const Tensor& tensor, const Regions& regions) {
  if (tensor.role() != Role::output || size_of(tensor.dtype()) == 1) return std::nullopt;
  int64_t count = 0, first = 0;
  for (int64_t i = tensor.count(); i-- > 0;)
    if (tensor.is_poison(i, Poison::first) && regions.at(i) == Region::plain) first = i, ++count;
  if (count == 0) return std::nullopt;
  return Finding{Kind::unwritten,
                 fmt::format("{} of {} elements of output {} were never written, the first at {}", count,
                             tensor.count(), tensor.name(), index_text(tensor.shape(), first)),
                 tensor.name()};
}

Findings judge_one(Trial& trial, Tensors written) {
  Findings findings;
  for (Tensor& tensor : written) {
    if (auto finding = unwritten(tensor, trial.given.get(tensor.name()).regions()))
      findings.push_back(std::move(*finding));
    trial.got.get(tensor.name()) = std::move(tensor);
  }
  return findings.empty() ? judge::values(trial) : findings;
}

}  // namespace

Findings verify(Trial& trial, std::vector<Fetched> runs) {
  for (Fetched& run : runs) {
    Findings findings = judge_one(trial, std::move(run.written));
    for (Finding& finding : findings) finding.detail = run.when + ": " + finding.detail;
    if (!findings.empty()) return findings;
  }
  return {};
}

}  // namespace assay::bench
