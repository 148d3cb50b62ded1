// CUDA's built-in vector types with CUDA's sizes and alignments, and their make_ functions.
//
// Alignment is part of the meaning: kernels read float4 through reinterpret_cast, and a tensor 4 bytes off must be seen
// to be misaligned here as on a GPU.
#pragma once

// NOLINTBEGIN: the names are CUDA's, one macro makes the four members of a family.
#define ASSAY_VECTOR_FAMILY(T, name, align2, align4)                           \
  struct name##1 {                                                             \
    T x;                                                                       \
  };                                                                           \
  struct alignas(align2) name##2 {                                             \
    T x, y;                                                                    \
  };                                                                           \
  struct name##3 {                                                             \
    T x, y, z;                                                                 \
  };                                                                           \
  struct alignas(align4) name##4 {                                             \
    T x, y, z, w;                                                              \
  };                                                                           \
  constexpr inline name##1 make_##name##1(T x) { return {x}; }                 \
  constexpr inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  constexpr inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

ASSAY_VECTOR_FAMILY(signed char, char, 2, 4)
ASSAY_VECTOR_FAMILY(unsigned char, uchar, 2, 4)
ASSAY_VECTOR_FAMILY(short, short, 4, 8)
ASSAY_VECTOR_FAMILY(unsigned short, ushort, 4, 8)
ASSAY_VECTOR_FAMILY(int, int, 8, 16)
ASSAY_VECTOR_FAMILY(unsigned int, uint, 8, 16)
ASSAY_VECTOR_FAMILY(long, long, 16, 16)
ASSAY_VECTOR_FAMILY(unsigned long, ulong, 16, 16)
ASSAY_VECTOR_FAMILY(long long, longlong, 16, 16)
ASSAY_VECTOR_FAMILY(unsigned long long, ulonglong, 16, 16)
ASSAY_VECTOR_FAMILY(float, float, 8, 16)
ASSAY_VECTOR_FAMILY(double, double, 16, 16)
#undef ASSAY_VECTOR_FAMILY
// NOLINTEND

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
