// The registry of matrix products that are roofs.
#include "harness/device/cuda/gemm_roof.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

std::vector<GemmRoof>& registry() {
  static std::vector<GemmRoof> roofs;
  return roofs;
}

}  // namespace

void register_gemm_roof(GemmRoof roof) {
  std::vector<GemmRoof>& roofs = registry();
  const auto later = [&](const GemmRoof& other) { return other.name > roof.name; };
  roofs.insert(std::ranges::find_if(roofs, later), std::move(roof));
}

const std::vector<GemmRoof>& gemm_roofs() { return registry(); }

}  // namespace assay
