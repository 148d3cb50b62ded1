// Two tensors in one buffer.
#include "harness/device/aliasing.h"

#include <cstring>

#include "harness/base/check.h"

namespace assay {

size_t memory_of(const Case& c, const Tensors& tensors, size_t i) {
  for (const Alias& alias : aliases_of(c)) {
    if (tensors[i].name() != alias.input) continue;
    const Tensor& written = tensors.get(alias.written);
    ASSAY_CHECK(written.bytes() == tensors[i].bytes(),
                "'" + alias.written + "' and '" + alias.input + "' share a buffer and differ in size");
    return static_cast<size_t>(&written - tensors.data());
  }
  return i;
}

void fill_shared_memory(const Case& c, Tensors& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t memory = memory_of(c, tensors, i);
    if (memory != i) std::memcpy(tensors[memory].data(), tensors[i].data(), tensors[i].bytes());
  }
}

}  // namespace assay
