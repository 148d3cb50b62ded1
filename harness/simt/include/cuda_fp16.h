// half and half2, with the bits of NVIDIA's own header.
#pragma once

#include "harness/simt/include/prelude.h"
#include "harness/simt/include/simt/small_float_bits.h"

#define T __half
#define T2 __half2
#define S half
#define S2 half2
#define FORMAT HalfFormat
#include "harness/simt/include/simt/small_float.inc"
#undef T
#undef T2
#undef S
#undef S2
#undef FORMAT

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;

#define CUDART_INF_FP16 __ushort_as_half(static_cast<unsigned short>(0x7c00u))
#define CUDART_NAN_FP16 __ushort_as_half(static_cast<unsigned short>(0x7fffu))
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(static_cast<unsigned short>(0x7bffu))
#define CUDART_ZERO_FP16 __ushort_as_half(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_FP16 __ushort_as_half(static_cast<unsigned short>(0x3c00u))
