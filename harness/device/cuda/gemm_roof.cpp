// The registered matrix products; modules register theirs when they are loaded.
#include "harness/device/cuda/gemm_roof.h"

#include <algorithm>

namespace assay {
namespace {

std::vector<GemmRoof>& roofs() {
  static std::vector<GemmRoof> registered;
  return registered;
}

}  // namespace

void register_gemm_roof(GemmRoof roof) {
  const auto place =
      std::find_if(roofs().begin(), roofs().end(), [&](const GemmRoof& r) { return roof.name < r.name; });
  roofs().insert(place, std::move(roof));
}

const std::vector<GemmRoof>& gemm_roofs() { return roofs(); }

}  // namespace assay
