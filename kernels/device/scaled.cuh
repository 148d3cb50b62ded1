// A score times the scale of a softmax, as the same number wherever it is used.
#pragma once

namespace assay::device {

// It is rounded before a row's maximum is subtracted: of `x * scale - maximum` nvcc makes one fma, whose product is
// not, and with scores near the largest float the difference is then a number whose exponential is infinity.
template <class T>
__device__ float scaled(T score, float scale) {
  return __fmul_rn(static_cast<float>(score), scale);
}

}  // namespace assay::device
