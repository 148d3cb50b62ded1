// cuda::std, NVIDIA's standard library for device code: the host compiler's serves in kernels, too.
#pragma once

namespace std {}

namespace cuda::std {
using namespace ::std;
}
