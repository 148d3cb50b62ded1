// Vectors of four words of 8 bytes at an alignment that their names say, which CUDA 13 has beside those of old.
#pragma once

#define ASSAY_ALIGNED_VECTOR(type, word, alignment) \
  struct alignas(alignment) type {                  \
    word x, y, z, w;                                \
  };                                                \
  constexpr type make_##type(word x, word y, word z, word w) { return {x, y, z, w}; }
#define ASSAY_ALIGNED_VECTORS(name, word)     \
  ASSAY_ALIGNED_VECTOR(name##4_16a, word, 16) \
  ASSAY_ALIGNED_VECTOR(name##4_32a, word, 32)
ASSAY_ALIGNED_VECTORS(long, long)
ASSAY_ALIGNED_VECTORS(ulong, unsigned long)
ASSAY_ALIGNED_VECTORS(longlong, long long)
ASSAY_ALIGNED_VECTORS(ulonglong, unsigned long long)
ASSAY_ALIGNED_VECTORS(double, double)
#undef ASSAY_ALIGNED_VECTORS
#undef ASSAY_ALIGNED_VECTOR
