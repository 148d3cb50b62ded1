// Normal values with NaN of both signs and of several payloads: the quiet NaN of x86 has its sign set, that of a GPU
// has every payload bit set, and data that was masked or came from Python has others.
#include <bit>
#include <cstdint>

#include "harness/tensor/fill.h"

namespace {

// Quiet, with a payload in the bits that even bf16 keeps.
double any_nan(assay::Rng& rng) {
  const uint64_t sign = (rng.next() & 1) << 63, payload = rng.below(64) << 45;
  return std::bit_cast<double>(uint64_t{0x7FF8000000000000} | sign | payload);
}

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  for (double& value : values) value = assay::normal(rng);
  for (int64_t row = 0; row < target.count; row += target.cols) {
    if (rng.next() % 2) continue;  // half of the rows stay numbers
    for (uint64_t many = rng.below(3) + 1; many > 0; --many)
      values[static_cast<size_t>(row) + rng.below(static_cast<uint64_t>(target.cols))] = any_nan(rng);
  }
  if (!values.empty()) values[rng.below(values.size())] = std::bit_cast<double>(uint64_t{0xFFF8000000000000});
}

const assay::RegisterFill kFill({.name = "nan_bits",
                                 .reveals = "a NaN that is ordered by its bits, and bits of a NaN that a copy changes",
                                 .has_nan = true,
                                 .make = make});

}  // namespace
