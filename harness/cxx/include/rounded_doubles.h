// Arithmetic of doubles rounded down, up and to zero, as PTX has it (harness/simt/include/ptx/floating.h).
#pragma once

#include "harness/simt/include/ptx/floating.h"

#define ASSAY_ROUNDED(suffix, how)                                                                                 \
  inline double __dadd_##suffix(double a, double b) { return ::assay::ptx::add<double, ::assay::ptx::how>(a, b); } \
  inline double __dsub_##suffix(double a, double b) { return ::assay::ptx::sub<double, ::assay::ptx::how>(a, b); } \
  inline double __dmul_##suffix(double a, double b) { return ::assay::ptx::mul<double, ::assay::ptx::how>(a, b); } \
  inline double __ddiv_##suffix(double a, double b) { return ::assay::ptx::div<double, ::assay::ptx::how>(a, b); } \
  inline double __drcp_##suffix(double a) { return ::assay::ptx::rcp<double, ::assay::ptx::how>(a); }              \
  inline double __dsqrt_##suffix(double a) { return ::assay::ptx::sqrt<double, ::assay::ptx::how>(a); }            \
  inline double __fma_##suffix(double a, double b, double c) {                                                     \
    return ::assay::ptx::fma<double, ::assay::ptx::how>(a, b, c);                                                  \
  }
ASSAY_ROUNDED(rd, kRm)
ASSAY_ROUNDED(ru, kRp)
ASSAY_ROUNDED(rz, kRz)
#undef ASSAY_ROUNDED
