// <math.h>, for a global namespace that has in it what CUDA's has.
//
// libstdc++ puts std::lerp of C++20 there too. nvcc compiles C++17 unless told otherwise, and kernels that interpolate
// define a lerp of their own, with the same parameters.
#pragma once

#define lerp assay_simt_lerp
#include <math.h>
#undef lerp

namespace std {
constexpr float lerp(float from, float to, float t) noexcept { return assay_simt_lerp(from, to, t); }
constexpr double lerp(double from, double to, double t) noexcept { return assay_simt_lerp(from, to, t); }
}  // namespace std
