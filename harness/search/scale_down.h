// A smaller case in place of one that is too large for the executor.
#pragma once

#include <optional>

#include "harness/search/generate.h"

namespace assay {

// `c` itself when it fits. Else, again and again until it does, the dim furthest above its aim (64, or a quarter of
// the contract's usual maximum) is halved. Its remainder modulo 64 stays (modulo 8 below 128, modulo 1 below
// 16), so that a case with a partial tile still has one. Dims that the contract's constraint ties to others, as it does
// the heads of queries and keys, are halved together and keep their ratio. Nothing when no dim is left to halve.
std::optional<Case> scaled_down(const Contract& contract, const Case& c, const GenerateLimits& limits);

}  // namespace assay
