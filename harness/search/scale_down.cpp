// Halving dims until a case fits.
#include "harness/search/scale_down.h"

#include <algorithm>
#include <map>

namespace assay {
namespace {

using Dims = std::vector<const DimSpec*>;

bool admitted(const Contract& contract, const Case& c) { return !contract.constraint || !contract.constraint(c); }

Case with(Case c, const DimSpec& dim, int64_t value) {
  c.set(dim.name, std::to_string(value));
  return c;
}

int64_t halved(int64_t value) {
  const int64_t unit = value >= 128 ? 64 : value >= 16 ? 8 : 1;
  return value / unit / 2 * unit + value % unit;
}

// Whether the constraint keeps a dim from growing a little: then its value hangs on those of others. A dim at its least
// is left out: it has nothing to give.
bool is_tied(const Contract& contract, const DimSpec& dim, const Case& c) {
  constexpr int64_t kLook = 16;
  const int64_t value = c.dim(dim.name);
  if (value <= std::max<int64_t>(dim.min, 1)) return false;
  for (int64_t more = 1; more <= kLook; ++more)
    if (!admitted(contract, with(c, dim, value + more))) return true;
  return false;
}

// Dims that are halved in one step: those that are tied, and those of one value, so that what is square stays square.
std::vector<Dims> steps(const Contract& contract, const Case& c) {
  Dims tied;
  std::map<int64_t, Dims> by_value;
  for (const DimSpec& dim : contract.dims)
    (is_tied(contract, dim, c) ? tied : by_value[c.dim(dim.name)]).push_back(&dim);
  std::vector<Dims> all;
  if (!tied.empty()) all.push_back(std::move(tied));
  for (auto& [value, dims] : by_value) all.push_back(std::move(dims));
  return all;
}

double above_aim(const DimSpec& dim, const Case& c) {
  constexpr double kAim = 64, kOfUsual = 0.25;
  const double aim = dim.usual_max < dim.max ? kOfUsual * static_cast<double>(dim.usual_max) : kAim;
  return static_cast<double>(c.dim(dim.name)) / aim;
}

double above_aim(const Dims& dims, const Case& c) {
  double most = 0;
  for (const DimSpec* dim : dims) most = std::max(most, above_aim(*dim, c));
  return most;
}

bool are_equal(const Dims& dims, const Case& c) {
  return std::ranges::all_of(dims, [&](const DimSpec* dim) { return c.dim(dim->name) == c.dim(dims[0]->name); });
}

std::optional<Case> halve(const Contract& contract, const Dims& dims, const Case& c) {
  const bool equal = are_equal(dims, c);
  Case smaller = c;
  for (const DimSpec* dim : dims) {
    const int64_t value = c.dim(dim->name);
    if (!equal && value % 2 != 0) return std::nullopt;  // the ratio would be another
    const int64_t half = equal ? halved(value) : value / 2;
    if (half < std::max<int64_t>(dim->min, 1) || half == value) return std::nullopt;
    smaller.set(dim->name, std::to_string(half));
  }
  return admitted(contract, smaller) ? std::optional(smaller) : std::nullopt;
}

}  // namespace

std::optional<Case> scaled_down(const Contract& contract, const Case& c, const GenerateLimits& limits) {
  const std::vector<Dims> all = steps(contract, c);  // of the whole case: what is tied stays tied
  Case smaller = c;
  while (!fits(contract, smaller, limits)) {
    std::optional<Case> next;
    double most = 0;
    for (const Dims& dims : all) {
      const double above = above_aim(dims, smaller);
      if (above <= most) continue;
      if (auto half = halve(contract, dims, smaller)) {
        next = std::move(half);
        most = above;
      }
    }
    if (!next) return std::nullopt;
    smaller = *std::move(next);
  }
  return smaller;
}

}  // namespace assay
