// A digest of all that a run wrote, by which two kernels are compared bit by bit without keeping their tensors.
#include <fmt/format.h>

#include <cmath>

#include "harness/judge/judge.h"

namespace assay::judge {

constexpr uint64_t kAnyNan = ~uint64_t{0};

// FNV-1a over the bits of every element that a kernel may write. Unspecified ones are left out, which may hold
// anything, and which NaN a NaN is does not count, as in judge::repeat.
void output_bits(Trial& trial) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t t = 0; t < trial.got.size(); ++t) {
    const Tensor& tensor = trial.got[t];
    if (!is_written(tensor.role())) continue;
    const Regions& regions = trial.given[t].regions();
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (regions.empty() || regions.at(i) != Region::unspecified)
        hash = (hash ^ (std::isnan(tensor.at(i)) ? kAnyNan : tensor.bits(i))) * 0x100000001b3u;
  }
  trial.row.output_bits = fmt::format("{:016x}", hash);
}

}  // namespace assay::judge
