// The registry of fills.
#include "harness/tensor/fill.h"

#include <algorithm>

#include "harness/base/check.h"

namespace assay {
namespace {

std::vector<Fill>& mutable_fills() {
  static std::vector<Fill> all;
  return all;
}

}  // namespace

RegisterFill::RegisterFill(Fill fill) {
  auto& all = mutable_fills();
  const auto at = std::lower_bound(all.begin(), all.end(), fill, [](auto& a, auto& b) { return a.name < b.name; });
  ASSAY_CHECK(at == all.end() || at->name != fill.name, "two fills are named '" + fill.name + "'");
  all.insert(at, std::move(fill));
}

const std::vector<Fill>& fills() { return mutable_fills(); }

const Fill* find_fill(std::string_view name) {
  for (const Fill& fill : fills())
    if (fill.name == name) return &fill;
  return nullptr;
}

double normal(Rng& rng) {
  uint64_t sum = 0;
  for (int i = 0; i < 12; ++i) sum += rng.next() >> 20;  // 44 bits each: the sum is exact in a double
  return static_cast<double>(sum) * 0x1p-44 - 6.0;
}

}  // namespace assay
