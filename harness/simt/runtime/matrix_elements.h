// Elements of matrices as they lie in registers, read into f32 or f64, which hold every one of them exactly.
#pragma once

#include <cstddef>

#include "harness/simt/include/simt/matrix_product.h"

namespace assay::simt {

constexpr uint32_t bits_of(Element number) {
  switch (number) {
    case Element::f64:
      return 64;
    case Element::tf32:
    case Element::f32:
    case Element::s32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    case Element::e4m3:
    case Element::e5m2:
    case Element::u8:
    case Element::s8:
      return 8;
    case Element::u4:
    case Element::s4:
      return 4;
    case Element::b1:
      return 1;
  }
  return 0;
}

// Reads the first `count` elements. f64 and s32 have none.
using ReadElements = void (*)(float* to, const void* registers, size_t count);
ReadElements reader_of(Element number);

}  // namespace assay::simt
