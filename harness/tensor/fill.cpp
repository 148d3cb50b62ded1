// The registry of fills.
#include "harness/tensor/fill.h"

#include <algorithm>

#include "harness/base/check.h"
#include "harness/tensor/counter.h"

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
  const double value = normal_at(counter_of(rng), 0);
  rng = skipped(rng, kNormalDraws);
  return value;
}

}  // namespace assay
