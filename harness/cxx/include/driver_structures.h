// Handles and structures of the CUDA driver API, by their layout. Streams, events and graphs are the runtime's.
#pragma once

#include "harness/cxx/include/cuda_types.h"
#include "harness/cxx/include/driver_attributes.h"
#include "harness/cxx/include/driver_enums.h"
#include "harness/cxx/include/driver_results.h"

#define CUDA_CB
#define CUDAAPI

using CUdevice = int;
using CUdevice_v1 = CUdevice;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUlinkState = struct CUlinkState_st*;
using CUarray = struct cudaArray*;
using CUmipmappedArray = struct cudaMipmappedArray*;
using CUtexObject = unsigned long long;
using CUsurfObject = unsigned long long;
using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;
using CUgraph = cudaGraph_t;
using CUgraphExec = cudaGraphExec_t;
using CUmemGenericAllocationHandle = unsigned long long;
using CUhostFn = void (*)(void* data);
using CUstreamCallback = void (*)(CUstream stream, CUresult status, void* data);
using CUoccupancyB2DSize = size_t (*)(int block_size);
struct CUuuid_st {
  char bytes[16];
};
using CUuuid = CUuuid_st;

struct CUexecAffinityParam;
struct CUctxCigParam;
struct CUctxCreateParams {
  CUexecAffinityParam* execAffinityParams;
  int numExecAffinityParams;
  CUctxCigParam* cigParams;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

enum CUmemorytype : int {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4
};
struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch, dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch, WidthInBytes, Height;
};

struct CUDA_ARRAY_DESCRIPTOR {
  size_t Width, Height;
  CUarray_format Format;
  unsigned NumChannels;
};
struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned NumChannels, Flags;
};
struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
};
struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned flags, maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
  int reserved[12];
};
struct CUDA_RESOURCE_VIEW_DESC {
  CUresourceViewFormat format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};

struct CUmemLocation {
  CUmemLocationType type;
  int id;
};
struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};
struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
};

#define CU_LAUNCH_PARAM_END (reinterpret_cast<void*>(0x00))
#define CU_LAUNCH_PARAM_BUFFER_POINTER (reinterpret_cast<void*>(0x01))
#define CU_LAUNCH_PARAM_BUFFER_SIZE (reinterpret_cast<void*>(0x02))
#define CU_STREAM_LEGACY (reinterpret_cast<CUstream>(0x1))
#define CU_STREAM_PER_THREAD (reinterpret_cast<CUstream>(0x2))
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08
