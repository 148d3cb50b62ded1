// Judging the outputs of timed runs.
#include "harness/bench/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/tensor/counter.h"

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

// Words, so that gigabytes take a fraction of a second; the place counts, so that two exchanged elements show.
uint64_t sum_of_words(const Tensor& tensor) {
  uint64_t sum = tensor.bytes();
  for (size_t at = 0; at < tensor.bytes(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, tensor.data() + at, std::min(sizeof word, tensor.bytes() - at));
    sum += Rng::mix(word + (at + 1) * kCounterStep);
  }
  return sum;
}

// With what may be anything put to zero.
Tensor defined_part(const Tensor& tensor) {
  Tensor copy = tensor;
  for (const Regions::Run& run : tensor.regions().runs())
    for (int64_t i = run.begin; run.region == Region::unspecified && i < run.end; ++i) copy.set_bits(i, 0);
  return copy;
}

bool are_same(const Tensors& a, const Tensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
    return x.bytes() == y.bytes() && std::memcmp(x.data(), y.data(), x.bytes()) == 0;
  });
}

Findings judge_one(Trial& trial, const Tensors& written) {
  Findings findings;
  for (const Tensor& tensor : written) {
    if (auto finding = unwritten(tensor, trial.given.get(tensor.name()).regions()))
      findings.push_back(std::move(*finding));
    trial.got.get(tensor.name()) = tensor;
  }
  return findings.empty() ? judge::values(trial) : findings;
}

}  // namespace

uint64_t checksum(const Tensors& written) {
  uint64_t sum = 0;
  for (const Tensor& tensor : written) {
    const bool defined = !tensor.regions().has(Region::unspecified);
    sum = Rng::mix(sum + (defined ? sum_of_words(tensor) : sum_of_words(defined_part(tensor))));
  }
  return sum;
}

Findings verify(Trial& trial, std::vector<Fetched> runs) {
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i > 0 && are_same(runs[i].written, runs[i - 1].written)) continue;
    Findings findings = judge_one(trial, runs[i].written);
    for (Finding& finding : findings) finding.detail = runs[i].when + ": " + finding.detail;
    if (!findings.empty()) return findings;
  }
  return {};
}

}  // namespace assay::bench
