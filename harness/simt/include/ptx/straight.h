// Statements without a branch for operations that C++ can say by a branch only.
//
// A kernel that nvcc has unrolled has thousands of selections and of results that may be NaN. Two branches for each
// make tens of thousands of basic blocks, and the host compiler's time goes with these: what is live is kept for every
// block. To the compiler inline assembly is one instruction. Other processors get the branch.
#pragma once

#include "harness/simt/include/ptx/bits.h"

namespace assay::ptx {

// p ? a : b
#if defined(__x86_64__)
ASSAY_SIMT_INLINE uint32_t select_b32(bool p, uint32_t a, uint32_t b) {
  asm("testb %1, %1\n\tcmovzl %2, %0" : "+r"(a) : "q"(p), "r"(b) : "cc");
  return a;
}
ASSAY_SIMT_INLINE uint64_t select_b64(bool p, uint64_t a, uint64_t b) {
  asm("testb %1, %1\n\tcmovzq %2, %0" : "+r"(a) : "q"(p), "r"(b) : "cc");
  return a;
}
ASSAY_SIMT_INLINE float select_f32(bool p, float a, float b) {
  asm("testb %1, %1\n\tjnz 1f\n\tmovaps %2, %0\n1:" : "+x"(a) : "q"(p), "x"(b) : "cc");
  return a;
}
#else
ASSAY_SIMT_INLINE uint32_t select_b32(bool p, uint32_t a, uint32_t b) { return p ? a : b; }
ASSAY_SIMT_INLINE uint64_t select_b64(bool p, uint64_t a, uint64_t b) { return p ? a : b; }
ASSAY_SIMT_INLINE float select_f32(bool p, float a, float b) { return p ? a : b; }
#endif

inline constexpr uint32_t kNanBits = 0x7fffffff;

// The GPU's NaN for any NaN: 0x7fffffff, and 0xfff8000000000000 for doubles.
#if defined(__x86_64__)
ASSAY_SIMT_INLINE float canonical(float x) {
  asm("ucomiss %0, %0\n\tjnp 1f\n\tpcmpeqd %0, %0\n\tpsrld $1, %0\n1:" : "+x"(x) : : "cc");
  return x;
}
ASSAY_SIMT_INLINE double canonical(double x) {
  asm("ucomisd %0, %0\n\tjnp 1f\n\tpcmpeqd %0, %0\n\tpsllq $51, %0\n1:" : "+x"(x) : : "cc");
  return x;
}
#else
ASSAY_SIMT_INLINE float canonical(float x) { return __builtin_expect(x != x, 0) ? as<float>(kNanBits) : x; }
ASSAY_SIMT_INLINE double canonical(double x) {
  return __builtin_expect(x != x, 0) ? as<double>(uint64_t{0xfff8000000000000}) : x;
}
#endif

// .sat: into [0, 1], NaN and -0 to +0.
#if defined(__x86_64__)
ASSAY_SIMT_INLINE float saturated(float x) {
  // Both give their first operand here, the second of Intel's manual, where one is NaN or both are zeros.
  asm("maxss %1, %0" : "+x"(x) : "x"(0.0f));
  asm("minss %1, %0" : "+x"(x) : "x"(1.0f));
  return x;
}
#else
ASSAY_SIMT_INLINE float saturated(float x) { return !(x > 0) ? 0.0f : x > 1 ? 1.0f : x; }
#endif
ASSAY_SIMT_INLINE double saturated(double x) { return !(x > 0) ? 0.0 : x > 1 ? 1.0 : x; }

}  // namespace assay::ptx
