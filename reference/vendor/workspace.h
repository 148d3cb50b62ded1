// Parts of a variant's workspace.
#pragma once

#include <cstdint>

namespace assay::vendor {

// The offset where the part of a workspace after one of `bytes` may begin.
inline int64_t align_workspace(int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace assay::vendor
