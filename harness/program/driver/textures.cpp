// Arrays, textures and surfaces, by the runtime's, which describes formats and coordinates in other words.
#include "harness/program/driver/result.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/runtime_calls.h"

namespace assay::program {
namespace {

// Values of CUarray_format.
constexpr int kUnsigned8 = 0x01, kUnsigned16 = 0x02, kUnsigned32 = 0x03, kSigned8 = 0x08, kSigned16 = 0x09,
              kSigned32 = 0x0a, kHalf = 0x10, kFloat = 0x20;
// Bits of CUDA_TEXTURE_DESC's flags.
constexpr unsigned kReadAsInteger = 0x01, kNormalizedCoordinates = 0x02, kSrgb = 0x10, kNoTrilinearOptimization = 0x20,
                   kSeamlessCubemap = 0x40;

// False: a format that the runtime's arrays do not have.
bool describe(int format, unsigned channels, cudaChannelFormatDesc& description) {
  int bits = 0;
  switch (format) {
    case kUnsigned8:
    case kSigned8:
      bits = 8;
      break;
    case kUnsigned16:
    case kSigned16:
    case kHalf:
      bits = 16;
      break;
    case kUnsigned32:
    case kSigned32:
    case kFloat:
      bits = 32;
      break;
    default:
      return false;
  }
  const auto of = [&](unsigned channel) { return channel < channels ? bits : 0; };
  description = {of(0), of(1), of(2), of(3),
                 format == kHalf || format == kFloat ? cudaChannelFormatKindFloat
                 : format >= kSigned8                ? cudaChannelFormatKindSigned
                                                     : cudaChannelFormatKindUnsigned};
  return true;
}

bool describe(const CUDA_RESOURCE_DESC& given, cudaResourceDesc& resource) {
  resource.resType = given.resType;
  switch (given.resType) {
    case cudaResourceTypeArray:
      resource.res.array.array = static_cast<cudaArray_t>(given.res.handle);
      return true;
    case cudaResourceTypeLinear:
      resource.res.linear.devPtr = given.res.linear.devPtr;
      resource.res.linear.sizeInBytes = given.res.linear.sizeInBytes;
      return describe(given.res.linear.format, given.res.linear.numChannels, resource.res.linear.desc);
    case cudaResourceTypePitch2D:
      resource.res.pitch2D.devPtr = given.res.pitch2D.devPtr;
      resource.res.pitch2D.width = given.res.pitch2D.width;
      resource.res.pitch2D.height = given.res.pitch2D.height;
      resource.res.pitch2D.pitchInBytes = given.res.pitch2D.pitchInBytes;
      return describe(given.res.pitch2D.format, given.res.pitch2D.numChannels, resource.res.pitch2D.desc);
    default:
      return false;
  }
}

// The format of a texture's texels, which decides whether they are read as fractions.
cudaChannelFormatDesc format_of(const cudaResourceDesc& resource) {
  cudaChannelFormatDesc format{};
  if (resource.resType == cudaResourceTypeArray)
    cudaGetChannelDesc(&format, resource.res.array.array);
  else
    format = resource.resType == cudaResourceTypeLinear ? resource.res.linear.desc : resource.res.pitch2D.desc;
  return format;
}

}  // namespace

ASSAY_EXPORTED CUresult cuArrayCreate_v2(cudaArray_t* array, const CUDA_ARRAY_DESCRIPTOR* given) {
  cudaChannelFormatDesc format{};
  if (array == nullptr || given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!describe(given->Format, given->NumChannels, format)) return CUDA_ERROR_NOT_SUPPORTED;
  return result_of(cudaMallocArray(array, &format, given->Width, given->Height, 0));
}
ASSAY_EXPORTED CUresult cuArray3DCreate_v2(cudaArray_t* array, const CUDA_ARRAY3D_DESCRIPTOR* given) {
  cudaChannelFormatDesc format{};
  if (array == nullptr || given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!describe(given->Format, given->NumChannels, format)) return CUDA_ERROR_NOT_SUPPORTED;
  return result_of(cudaMalloc3DArray(array, &format, {given->Width, given->Height, given->Depth}, given->Flags));
}
ASSAY_EXPORTED CUresult cuArrayDestroy(cudaArray_t array) {
  return array == nullptr ? CUDA_ERROR_INVALID_HANDLE : result_of(cudaFreeArray(array));
}

ASSAY_EXPORTED CUresult cuTexObjectCreate(cudaTextureObject_t* object, const CUDA_RESOURCE_DESC* given,
                                          const CUDA_TEXTURE_DESC* texture, const cudaResourceViewDesc* view) {
  cudaResourceDesc resource{};
  if (object == nullptr || given == nullptr || texture == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!describe(*given, resource)) return CUDA_ERROR_NOT_SUPPORTED;
  const cudaChannelFormatDesc format = format_of(resource);
  const bool is_fraction =
      (texture->flags & kReadAsInteger) == 0 && format.f != cudaChannelFormatKindFloat && format.x < 32;
  cudaTextureDesc described{};
  for (size_t i = 0; i < 3; ++i) described.addressMode[i] = texture->addressMode[i];
  described.filterMode = texture->filterMode;
  described.readMode = is_fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  described.sRGB = (texture->flags & kSrgb) != 0 ? 1 : 0;
  for (size_t i = 0; i < 4; ++i) described.borderColor[i] = texture->borderColor[i];
  described.normalizedCoords = (texture->flags & kNormalizedCoordinates) != 0 ? 1 : 0;
  described.maxAnisotropy = texture->maxAnisotropy;
  described.mipmapFilterMode = texture->mipmapFilterMode;
  described.mipmapLevelBias = texture->mipmapLevelBias;
  described.minMipmapLevelClamp = texture->minMipmapLevelClamp;
  described.maxMipmapLevelClamp = texture->maxMipmapLevelClamp;
  described.disableTrilinearOptimization = (texture->flags & kNoTrilinearOptimization) != 0 ? 1 : 0;
  described.seamlessCubemap = (texture->flags & kSeamlessCubemap) != 0 ? 1 : 0;
  return result_of(cudaCreateTextureObject(object, &resource, &described, view));
}
ASSAY_EXPORTED CUresult cuTexObjectDestroy(cudaTextureObject_t object) {
  return result_of(cudaDestroyTextureObject(object));
}
ASSAY_EXPORTED CUresult cuSurfObjectCreate(cudaSurfaceObject_t* object, const CUDA_RESOURCE_DESC* given) {
  cudaResourceDesc resource{};
  if (object == nullptr || given == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!describe(*given, resource)) return CUDA_ERROR_NOT_SUPPORTED;
  return result_of(cudaCreateSurfaceObject(object, &resource));
}
ASSAY_EXPORTED CUresult cuSurfObjectDestroy(cudaSurfaceObject_t object) {
  return result_of(cudaDestroySurfaceObject(object));
}

}  // namespace assay::program
