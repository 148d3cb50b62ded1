// The discrete Fourier transform as cuFFT defines it: not scaled in either direction.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace assay::program {

// Whether a transform of this length is done in time: its largest prime factor is what it costs.
bool can_transform(size_t length);

// Transforms an array of `extents`, the last of which lies together, in each of its dimensions. `sign`: of the
// exponent. It is computed in double, so that rounding the result once is exact to a few units of a float.
void transform(std::span<std::complex<double>> values, std::span<const size_t> extents, int sign);

}  // namespace assay::program
