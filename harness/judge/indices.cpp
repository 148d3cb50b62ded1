// The variant's index function on shapes of which no machine here holds the tensors: beyond 2^31 and 2^32 elements,
// where 32-bit products wrap and f32 ones stop counting.
#include <fmt/format.h>

#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

int64_t elements_of(const TensorSpec& spec, const Case& c) {
  double count = 1;
  int64_t exact = 1;
  for (const int64_t extent : shape_of(spec, c)) {
    count *= static_cast<double>(extent);
    if (count > 0x1p62) return int64_t{1} << 62;
    exact *= extent;
  }
  return exact;
}

// The case with its dims doubled in turn until the tensor has at least so many elements; nothing when it never does.
std::optional<Case> enlarged(const Contract& contract, const TensorSpec& spec, Case c, int64_t elements) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const DimSpec& dim : contract.dims) {
      if (elements_of(spec, c) >= elements) return c;
      const int64_t before = c.dim(dim.name), doubled = 2 * std::max<int64_t>(1, before);
      if (doubled > dim.max) continue;
      c.set(dim.name, std::to_string(doubled));
      if (contract.adjust) contract.adjust(c);
      changed |= c.dim(dim.name) > before;
    }
  }
  return std::nullopt;
}

std::string dims_text(const Contract& contract, const Case& c) {
  std::string text;
  for (const DimSpec& dim : contract.dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dim.name, c.text(dim.name));
  return text;
}

}  // namespace

Findings indices(const Trial& trial) {
  if (!trial.variant.element_at) return {};
  for (const int power : {0, 16, 24, 31, 32, 33, 36})
    for (const TensorSpec& spec : trial.contract.tensors) {
      const auto large = enlarged(trial.contract, spec, trial.c, int64_t{1} << power);
      if (!large) continue;
      std::vector<int64_t> last;
      for (const int64_t extent : shape_of(spec, *large)) last.push_back(extent - 1);
      const int64_t want = elements_of(spec, *large) - 1;
      const auto got = trial.variant.element_at(*large, spec.name, last);
      if (!got || *got == want) continue;
      return {{Kind::out_of_bounds,
               fmt::format("index function: with {} the last element of {} is {}, and the kernel takes it for {}; are "
                           "indices computed in 64 bits?",
                           dims_text(trial.contract, *large), spec.name, want, *got),
               spec.name}};
    }
  return {};
}

}  // namespace assay::judge
