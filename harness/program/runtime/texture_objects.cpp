// Texture and surface objects: what a program describes, as the executor's textures.
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "harness/program/device_limits.h"
#include "harness/program/runtime/arrays.h"
#include "harness/program/runtime/copies.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

struct Described {
  cudaResourceDesc resource;
  cudaTextureDesc texture;  // nothing for a surface
};
std::map<unsigned long long, Described>& described() {
  static auto& all = *new std::map<unsigned long long, Described>;
  return all;
}

cudaError_t refuse(GpuProcess& process, const char* name, const char* what) {
  process.log().unsupported(fmt::format("{} with {}", name, what));
  return cudaErrorNotSupported;
}

// Whether memory that a texture is to show is on the device, and begins where one may begin.
bool can_begin(GpuProcess& process, const char* name, const void* memory) {
  const char* wrong = nullptr;
  if (!is_on_device(process, memory))
    wrong = "is no device memory";
  else if (reinterpret_cast<uintptr_t>(memory) % kTextureAlignment != 0)
    wrong = "does not begin at a multiple of textureAlignment";
  if (wrong != nullptr)
    process.found(simt::Kind::out_of_bounds, fmt::format("{} of memory that {}", name, wrong), name);
  return wrong == nullptr;
}

cudaError_t image_of_linear(GpuProcess& process, const char* name, const cudaResourceDesc& resource,
                            simt::Image& image) {
  const auto& linear = resource.res.linear;
  if (const cudaError_t error = set_format(image, linear.desc); error != cudaSuccess) return error;
  const size_t count = linear.sizeInBytes / image.texel_bytes();
  if (count == 0 || count > kLinearTextureMax || !can_begin(process, name, linear.devPtr)) return cudaErrorInvalidValue;
  image.kind = simt::ImageKind::row_of_memory;
  image.memory = static_cast<std::byte*>(linear.devPtr);
  image.width = static_cast<uint32_t>(count);
  image.row_bytes = image.slice_bytes = count * image.texel_bytes();
  return cudaSuccess;
}

cudaError_t image_of_pitched(GpuProcess& process, const char* name, const cudaResourceDesc& resource,
                             simt::Image& image) {
  const auto& pitched = resource.res.pitch2D;
  if (const cudaError_t error = set_format(image, pitched.desc); error != cudaSuccess) return error;
  const size_t row = pitched.width * image.texel_bytes();
  if (pitched.width == 0 || pitched.height == 0 || pitched.width > kTextureWidthMax ||
      pitched.height > kPitchedTextureHeightMax || pitched.pitchInBytes > kPitchMax || pitched.pitchInBytes < row ||
      pitched.pitchInBytes % kTexturePitchAlignment != 0 || !can_begin(process, name, pitched.devPtr))
    return cudaErrorInvalidValue;
  image.kind = simt::ImageKind::plane;
  image.memory = static_cast<std::byte*>(pitched.devPtr);
  image.width = static_cast<uint32_t>(pitched.width);
  image.height = static_cast<uint32_t>(pitched.height);
  image.row_bytes = pitched.pitchInBytes;
  image.slice_bytes = pitched.pitchInBytes * pitched.height;
  return cudaSuccess;
}

cudaError_t image_of(GpuProcess& process, const char* name, const cudaResourceDesc& resource, simt::Image& image) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* const array = array_of(process, name, resource.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      image = array->image;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      return image_of_linear(process, name, resource, image);
    case cudaResourceTypePitch2D:
      return image_of_pitched(process, name, resource, image);
    case cudaResourceTypeMipmappedArray:
      return refuse(process, name, "a mipmapped array");
  }
  return cudaErrorInvalidValue;
}

// The sampler's part of a texture whose image is known.
cudaError_t set_sampling(GpuProcess& process, const char* name, const cudaTextureDesc& given, simt::Texture& texture) {
  texture.is_linear = given.filterMode == cudaFilterModeLinear;
  texture.reads_normalised = given.readMode == cudaReadModeNormalizedFloat;
  texture.has_normalised_coordinates = given.normalizedCoords != 0;
  for (size_t i = 0; i < 3; ++i) {
    if (given.addressMode[i] < cudaAddressModeWrap || given.addressMode[i] > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
    texture.modes.at(i) = static_cast<simt::AddressMode>(given.addressMode[i]);
  }
  std::memcpy(texture.border.data(), given.borderColor, sizeof given.borderColor);
  if (texture.image.kind == simt::ImageKind::row_of_memory) texture.is_linear = false;
  const bool gives_floats =
      texture.image.channels == simt::Channels::floats || (texture.reads_normalised && texture.image.channel_bits < 32);
  if (texture.is_linear && !gives_floats) return cudaErrorInvalidFilterSetting;
  if (given.sRGB != 0) return refuse(process, name, "sRGB");
  if (given.seamlessCubemap != 0 && texture.is_linear) return refuse(process, name, "seamlessCubemap");
  return cudaSuccess;
}

// Hands what is known of a living object to `body`.
template <class Body>
cudaError_t with_object(const char* name, unsigned long long object, Body body) {
  return call(name, [&](GpuProcess& process) {
    const auto found = described().find(object);
    if (found != described().end()) return body(found->second);
    process.found(simt::Kind::out_of_bounds,
                  fmt::format("{} of {:#x}, which is no texture or surface object, or no longer", name, object), name);
    return cudaErrorInvalidValue;
  });
}

cudaError_t destroy(const char* name, unsigned long long object, bool (*remove)(uint64_t)) {
  if (object == 0) return cudaSuccess;
  return with_object(name, object, [&](const Described&) {
    if (!remove(object)) return cudaErrorInvalidValue;
    described().erase(object);
    return cudaSuccess;
  });
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                                   const cudaTextureDesc* given, const cudaResourceViewDesc* view) {
  constexpr const char* kName = "cudaCreateTextureObject";
  return call(kName, [&](GpuProcess& process) {
    if (object == nullptr || resource == nullptr || given == nullptr) return cudaErrorInvalidValue;
    if (view != nullptr && view->format != 0) return refuse(process, kName, "a resource view");
    simt::Texture texture;
    if (const cudaError_t error = image_of(process, kName, *resource, texture.image); error != cudaSuccess)
      return error;
    if (const cudaError_t error = set_sampling(process, kName, *given, texture); error != cudaSuccess) return error;
    *object = simt::add_texture(texture);
    described()[*object] = {*resource, *given};
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  constexpr const char* kName = "cudaCreateSurfaceObject";
  return call(kName, [&](GpuProcess& process) {
    if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    const cudaArray* const array = array_of(process, kName, resource->res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if ((array->flags & cudaArraySurfaceLoadStore) == 0) {
      process.found(simt::Kind::crash,
                    fmt::format("{} of an array that was allocated without cudaArraySurfaceLoadStore", kName), kName);
      return cudaErrorInvalidValue;
    }
    *object = simt::add_surface(array->image);
    described()[*object] = {*resource, {}};
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return destroy("cudaDestroyTextureObject", object, simt::remove_texture);
}
ASSAY_EXPORTED cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return destroy("cudaDestroySurfaceObject", object, simt::remove_surface);
}

ASSAY_EXPORTED cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return with_object("cudaGetTextureObjectResourceDesc", object, [&](const Described& known) {
    *resource = known.resource;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return with_object("cudaGetTextureObjectTextureDesc", object, [&](const Described& known) {
    *texture = known.texture;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return with_object("cudaGetSurfaceObjectResourceDesc", object, [&](const Described& known) {
    *resource = known.resource;
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* elements, const cudaChannelFormatDesc* format,
                                                                int device) {
  return call("cudaDeviceGetTexture1DLinearMaxWidth", [&](GpuProcess&) {
    if (device != 0) return cudaErrorInvalidDevice;
    simt::Image image;
    if (elements == nullptr || format == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = set_format(image, *format); error != cudaSuccess) return error;
    *elements = kLinearTextureMax;
    return cudaSuccess;
  });
}

}  // namespace assay::program
