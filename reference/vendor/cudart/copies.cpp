// Calls of the CUDA runtime for rows.
#include "reference/vendor/cudart/copies.h"

#include <cuda_runtime_api.h>

#include <limits>

#include "harness/device/cuda/stream.h"
#include "reference/vendor/scratch.h"

namespace assay::vendor {
namespace {

cudaStream_t stream() { return static_cast<cudaStream_t>(current_stream()); }
size_t size(int64_t bytes) { return static_cast<size_t>(bytes); }

}  // namespace

void copy_rows(void* to, int64_t to_pitch, const void* from, int64_t from_pitch, int64_t width, int64_t rows) {
  if (width == 0 || rows == 0) return;
  note_if_refused("cudaMemcpy2DAsync", cudaMemcpy2DAsync(to, size(to_pitch), from, size(from_pitch), size(width),
                                                         size(rows), cudaMemcpyDeviceToDevice, stream()));
}

void clear_rows(void* to, int64_t to_pitch, int64_t width, int64_t rows) {
  if (width == 0 || rows == 0) return;
  note_if_refused("cudaMemset2DAsync", cudaMemset2DAsync(to, size(to_pitch), 0, size(width), size(rows), stream()));
}

std::optional<std::string> refused_pitch(int64_t bytes) {
  if (bytes <= std::numeric_limits<int32_t>::max()) return std::nullopt;
  return "cudaMemcpy2DAsync takes rows that begin at most 2^31 - 1 bytes apart";
}

}  // namespace assay::vendor
