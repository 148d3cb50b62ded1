// Calls of a kernel module that go to the executor instead of the C library.
#pragma once

#include "harness/simt/build/finish/assembly.h"

namespace assay::simt::finish {

// malloc, free, new and delete: a kernel's have the device's heap (runtime/device_heap.h).
void redirect_heap(Assembly& assembly);
// memcpy, memmove and memset go to the hooks of a checked module.
void redirect_copies(Assembly& assembly);

}  // namespace assay::simt::finish
