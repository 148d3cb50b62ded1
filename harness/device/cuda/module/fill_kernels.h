// Making data of the fill `normal` on the GPU, with the bits that the host's threads make (tensor/counter.h).
#pragma once

#include <cstdint>

#include "harness/tensor/dtype.h"

namespace assay {

// Queues it on the current stream (stream.h): element i of `memory` becomes normal_at(counter, i), rounded to nearest
// even. False for a dtype that holds no real numbers; then nothing is queued.
__attribute__((visibility("default"))) bool queue_normal(void* memory, int64_t count, DType dtype, uint64_t counter);

}  // namespace assay
