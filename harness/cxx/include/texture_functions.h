// Fetches from textures and accesses to surfaces in CUDA C++, by texture and surface objects.
//
// Mipmaps have no meaning here: a fetch at a level (…Lod, …Grad) does not compile.
#pragma once

#include <cstring>
#include <type_traits>

#include "harness/cxx/include/cuda_types.h"
#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/texture_calls.h"

namespace assay::cxx {

using simt::Geometry;

// One channel of a fetch as the type that the program names.
template <class T>
ASSAY_SIMT_INLINE T channel_of(simt::Texel all, unsigned i) {
  const auto bits = static_cast<uint32_t>(all >> 32 * i);
  if constexpr (std::is_same_v<T, float>)
    return __builtin_bit_cast(float, bits);
  else
    return static_cast<T>(bits);
}
template <class T>
ASSAY_SIMT_INLINE T texel_as(simt::Texel all) {
  if constexpr (requires(T texel) { texel.x; }) {
    using Channel = decltype(T::x);
    T texel{};
    texel.x = channel_of<Channel>(all, 0);
    if constexpr (requires { texel.y; }) texel.y = channel_of<Channel>(all, 1);
    if constexpr (requires { texel.z; }) texel.z = channel_of<Channel>(all, 2);
    if constexpr (requires { texel.w; }) texel.w = channel_of<Channel>(all, 3);
    return texel;
  } else {
    return channel_of<T>(all, 0);
  }
}
template <class T>
ASSAY_SIMT_INLINE T fetched(cudaTextureObject_t texture, Geometry geometry, int layer, float x, float y = 0,
                            float z = 0) {
  return texel_as<T>(simt::fetch_texture(simt::current(), texture, geometry, static_cast<uint32_t>(layer), x, y, z));
}

// The bytes that a surface holds at a place.
template <class T>
ASSAY_SIMT_INLINE T surface_read(cudaSurfaceObject_t surface, Geometry geometry, cudaSurfaceBoundaryMode mode,
                                 int layer, int x, int y = 0, int z = 0) {
  const auto outside = mode == cudaBoundaryModeZero    ? simt::Outside::zero
                       : mode == cudaBoundaryModeClamp ? simt::Outside::clamp
                                                       : simt::Outside::trap;
  const simt::Texel all =
      simt::load_surface(simt::current(), surface, geometry, outside, sizeof(T), static_cast<uint32_t>(layer), x, y, z);
  T value;
  std::memcpy(&value, &all, sizeof value);
  return value;
}
template <class T>
ASSAY_SIMT_INLINE void surface_write(const T& value, cudaSurfaceObject_t surface, Geometry geometry,
                                     cudaSurfaceBoundaryMode mode, int layer, int x, int y = 0, int z = 0) {
  const auto outside = mode == cudaBoundaryModeZero    ? simt::Outside::zero
                       : mode == cudaBoundaryModeClamp ? simt::Outside::clamp
                                                       : simt::Outside::trap;
  simt::Texel all = 0;
  std::memcpy(&all, &value, sizeof value);
  simt::store_surface(simt::current(), surface, geometry, outside, sizeof(T), static_cast<uint32_t>(layer), x, y, z,
                      all);
}

}  // namespace assay::cxx

// A function that returns what it fetches, and its form that stores it through a pointer.
#define ASSAY_FETCH(name, parameters, arguments, ...)                                        \
  template <class T>                                                                         \
  ASSAY_SIMT_INLINE T name(cudaTextureObject_t texture ASSAY_LIST parameters) {              \
    return __VA_ARGS__;                                                                      \
  }                                                                                          \
  template <class T>                                                                         \
  ASSAY_SIMT_INLINE void name(T* texel, cudaTextureObject_t texture ASSAY_LIST parameters) { \
    *texel = name<T>(texture ASSAY_LIST arguments);                                          \
  }
#define ASSAY_LIST(...) , __VA_ARGS__
#define ASSAY_FETCHED(geometry, ...) ::assay::cxx::fetched<T>(texture, ::assay::cxx::Geometry::geometry, __VA_ARGS__)
ASSAY_FETCH(tex1D, (float x), (x), ASSAY_FETCHED(line, 0, x))
ASSAY_FETCH(tex2D, (float x, float y), (x, y), ASSAY_FETCHED(plane, 0, x, y))
ASSAY_FETCH(tex3D, (float x, float y, float z), (x, y, z), ASSAY_FETCHED(volume, 0, x, y, z))
ASSAY_FETCH(tex1DLayered, (float x, int layer), (x, layer), ASSAY_FETCHED(lines, layer, x))
ASSAY_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer), ASSAY_FETCHED(planes, layer, x, y))
ASSAY_FETCH(texCubemap, (float x, float y, float z), (x, y, z), ASSAY_FETCHED(cube, 0, x, y, z))
ASSAY_FETCH(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer),
            ASSAY_FETCHED(cubes, layer, x, y, z))
ASSAY_FETCH(tex1Dfetch, (int x), (x),
            ::assay::cxx::texel_as<T>(::assay::simt::fetch_texel(::assay::simt::current(), texture,
                                                                 ::assay::cxx::Geometry::line, 0, x, 0, 0)))
ASSAY_FETCH(tex2Dgather, (float x, float y, int channel = 0), (x, y, channel),
            ::assay::cxx::texel_as<T>(::assay::simt::gather_texels(::assay::simt::current(), texture,
                                                                   static_cast<uint32_t>(channel), x, y)))
#undef ASSAY_FETCH
#undef ASSAY_FETCHED

#define ASSAY_SURFACE(name, parameters, geometry, ...)                                                    \
  template <class T>                                                                                      \
  ASSAY_SIMT_INLINE T name##read(cudaSurfaceObject_t surface ASSAY_LIST parameters,                       \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    return ::assay::cxx::surface_read<T>(surface, ::assay::cxx::Geometry::geometry, mode, __VA_ARGS__);   \
  }                                                                                                       \
  template <class T>                                                                                      \
  ASSAY_SIMT_INLINE void name##read(T* value, cudaSurfaceObject_t surface ASSAY_LIST parameters,          \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                \
    *value = ::assay::cxx::surface_read<T>(surface, ::assay::cxx::Geometry::geometry, mode, __VA_ARGS__); \
  }                                                                                                       \
  template <class T>                                                                                      \
  ASSAY_SIMT_INLINE void name##write(T value, cudaSurfaceObject_t surface ASSAY_LIST parameters,          \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
    ::assay::cxx::surface_write(value, surface, ::assay::cxx::Geometry::geometry, mode, __VA_ARGS__);     \
  }
ASSAY_SURFACE(surf1D, (int x), line, 0, x)
ASSAY_SURFACE(surf2D, (int x, int y), plane, 0, x, y)
ASSAY_SURFACE(surf3D, (int x, int y, int z), volume, 0, x, y, z)
ASSAY_SURFACE(surf1DLayered, (int x, int layer), lines, layer, x)
ASSAY_SURFACE(surf2DLayered, (int x, int y, int layer), planes, layer, x, y)
#undef ASSAY_SURFACE
#undef ASSAY_LIST
