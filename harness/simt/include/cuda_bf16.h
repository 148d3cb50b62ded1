// __nv_bfloat16 and __nv_bfloat162, with the bits of NVIDIA's own header.
#pragma once

#include "harness/simt/include/prelude.h"
#include "harness/simt/include/simt/small_float_bits.h"

#define T __nv_bfloat16
#define T2 __nv_bfloat162
#define S bfloat16
#define S2 bfloat162
#define FORMAT Bfloat16Format
#include "harness/simt/include/simt/small_float.inc"
#undef T
#undef T2
#undef S
#undef S2
#undef FORMAT

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f80u))
#define CUDART_NAN_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7fffu))
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x7f7fu))
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x0000u))
#define CUDART_ONE_BF16 __ushort_as_bfloat16(static_cast<unsigned short>(0x3f80u))
