// Put in front of every .cu file by the build (-include), so that plain CUDA C++ compiles as host C++.
//
// Everything a kernel may use without an include in nvcc is here. It must stay lean: each kernel file pays for it.
// Limits: templates whose `extern __shared__ T name[]` has a dependent type are rejected for a second T, as by nvcc.
#pragma once

// The toolkit that these headers stand for: files choose by it.
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

// First: these change what the standard headers call, and what they put into the global namespace.
#include "harness/simt/include/simt/copies.h"
#include "harness/simt/include/simt/std_math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/simt/include/assert.h"
#include "harness/simt/include/simt/atomics.h"
#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/host_api.h"
#include "harness/simt/include/simt/integer.h"
#include "harness/simt/include/simt/math.h"
#include "harness/simt/include/simt/memory.h"
#include "harness/simt/include/simt/qualifiers.h"
#include "harness/simt/include/simt/sync.h"
#include "harness/simt/include/simt/vector_types.h"
#include "harness/simt/include/simt/warp.h"
