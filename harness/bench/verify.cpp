// Judging the outputs of timed runs.
#include "harness/bench/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "harness/base/parallel.h"
#include "harness/tensor/counter.h"

namespace assay::bench {
namespace {

// Where the reference computes only some rows, poison still shows unwritten elements in all of them. No right kernel
// writes its bits: they are no NaN that arithmetic makes, and no index. A byte may be data, whatever it is.
std::optional<Finding> unwritten(const Tensor& tensor, const Regions& regions) {
  if (tensor.role() != Role::output || size_of(tensor.dtype()) == 1) return std::nullopt;
  std::atomic<int64_t> count = 0, first = tensor.count();
  in_parts(tensor.count(), [&](int64_t begin, int64_t end) {
    int64_t own = 0, own_first = tensor.count();
    for (int64_t i = end; i-- > begin;)
      if (tensor.is_poison(i, Poison::first) && regions.at(i) == Region::plain) own_first = i, ++own;
    count += own;
    int64_t known = first;
    while (own_first < known && !first.compare_exchange_weak(known, own_first)) {
    }
  });
  if (count == 0) return std::nullopt;
  return Finding{Kind::unwritten,
                 fmt::format("{} of {} elements of output {} were never written, the first at {}", count.load(),
                             tensor.count(), tensor.name(), index_text(tensor.shape(), first)),
                 tensor.name()};
}

// Words, so that gigabytes take a fraction of a second; the place counts, so that two exchanged elements show.
uint64_t sum_of_words(const Tensor& tensor) {
  std::atomic<uint64_t> sum = tensor.bytes();
  const auto words = static_cast<int64_t>((tensor.bytes() + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  in_parts(words, [&](int64_t begin, int64_t end) {
    uint64_t own = 0;
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const size_t at = i * sizeof(uint64_t);
      uint64_t word = 0;
      std::memcpy(&word, tensor.data() + at, std::min(sizeof word, tensor.bytes() - at));
      own += Rng::mix(word + (at + 1) * kCounterStep);
    }
    sum += own;
  });
  return sum;
}

// The tensor, with elements that may be anything put to zero.
Tensor defined_part(const Tensor& tensor) {
  Tensor copy = tensor;
  for (const Regions::Run& run : tensor.regions().runs())
    for (int64_t i = run.begin; run.region == Region::unspecified && i < run.end; ++i) copy.set_bits(i, 0);
  return copy;
}

bool are_same(const Tensors& written, const Tensors& judged) {
  return std::ranges::all_of(written, [&](const Tensor& tensor) {
    const Tensor& before = judged.get(tensor.name());
    return tensor.bytes() == before.bytes() && std::memcmp(tensor.data(), before.data(), tensor.bytes()) == 0;
  });
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
    if (i > 0 && are_same(runs[i].written, trial.got)) continue;
    Findings findings = judge_one(trial, std::move(runs[i].written));
    for (Finding& finding : findings) finding.detail = runs[i].when + ": " + finding.detail;
    if (!findings.empty()) return findings;
  }
  return {};
}

}  // namespace assay::bench
