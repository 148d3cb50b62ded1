// The detectors that there are, by name.
#include <algorithm>

#include "harness/simt/checked/checker.h"
#include "harness/simt/checked/listener.h"
#include "harness/simt/runtime/check.h"

namespace assay::simt {
namespace checked {
namespace {

std::vector<DetectorKind>& registry() {
  static std::vector<DetectorKind> kinds;  // made when the first detector registers, whichever file that is in
  return kinds;
}

}  // namespace

void register_detector(const DetectorKind& kind) {
  auto& kinds = registry();
  const auto after = std::upper_bound(kinds.begin(), kinds.end(), kind,
                                      [](const DetectorKind& a, const DetectorKind& b) { return a.name < b.name; });
  kinds.insert(after, kind);
}

const std::vector<DetectorKind>& detector_kinds() {
  SIMT_CHECK(!registry().empty(), "no detector is linked in");
  return registry();
}

}  // namespace checked

std::vector<Detector> detectors() {
  std::vector<Detector> all;
  for (const checked::DetectorKind& kind : checked::detector_kinds())
    all.push_back({std::string(kind.name), kind.finds, kind.by_default});
  return all;
}

}  // namespace assay::simt
