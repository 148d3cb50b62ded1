// The device, of which there is one: its properties, attributes and limits.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <map>

#include "harness/program/device_limits.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/settings.h"

namespace assay::program {
namespace {

constexpr int kVersion = 13000;  // of the runtime and the driver

void set_texture_limits(cudaDeviceProp& device) {
  device.textureAlignment = device.surfaceAlignment = kTextureAlignment;
  device.texturePitchAlignment = kTexturePitchAlignment;
  const auto set = [](auto& limits, std::initializer_list<int> values) {
    std::copy(values.begin(), values.end(), limits);
  };
  device.maxTexture1D = kTextureWidthMax;
  set(device.maxTexture2D, {kTextureWidthMax, kTextureHeightMax});
  set(device.maxTexture2DLinear, {kTextureWidthMax, kPitchedTextureHeightMax, kPitchMax});
  set(device.maxTexture2DGather, {kLayeredMax, kLayeredMax});
  set(device.maxTexture3D, {kVolumeMax, kVolumeMax, kVolumeMax});
  set(device.maxTexture3DAlt, {kVolumeMax / 2, kVolumeMax / 2, 2 * kVolumeMax});
  set(device.maxTexture1DLayered, {kLayeredMax, kLayersMax});
  set(device.maxTexture2DLayered, {kLayeredMax, kLayeredMax, kLayersMax});
  set(device.maxTextureCubemapLayered, {kLayeredMax, kCubeLayersMax});
  device.maxTextureCubemap = device.maxSurfaceCubemap = device.maxSurface1D = kLayeredMax;
  set(device.maxSurface2D, {kTextureWidthMax, kTextureHeightMax});
  set(device.maxSurface3D, {kVolumeMax, kVolumeMax, kVolumeMax});
  set(device.maxSurface1DLayered, {kLayeredMax, kLayersMax});
  set(device.maxSurface2DLayered, {kLayeredMax, kLayeredMax, kLayersMax});
  set(device.maxSurfaceCubemapLayered, {kLayeredMax, kCubeLayersMax});
}

cudaDeviceProp properties() {
  const DeviceLimits& limits = settings().device;
  cudaDeviceProp device{};
  std::strncpy(device.name, limits.name, sizeof device.name - 1);
  device.totalGlobalMem = kDeviceBytes;
  device.sharedMemPerBlock = simt::kStaticSharedBytesMax;
  device.sharedMemPerBlockOptin = limits.shared_of_block;
  device.sharedMemPerMultiprocessor = limits.shared_of_multiprocessor;
  device.reservedSharedMemPerBlock = kReservedSharedBytes;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.memPitch = 0x7fffffff;
  device.maxThreadsPerBlock = simt::kThreadsMax;
  device.maxThreadsDim[0] = device.maxThreadsDim[1] = simt::kThreadsMax;
  device.maxThreadsDim[2] = simt::kBlockZMax;
  device.maxGridSize[0] = simt::kGridXMax;
  device.maxGridSize[1] = device.maxGridSize[2] = simt::kGridYzMax;
  device.totalConstMem = 65536;
  device.major = limits.major;
  device.minor = limits.minor;
  set_texture_limits(device);
  device.multiProcessorCount = limits.multiprocessors;
  device.canMapHostMemory = device.unifiedAddressing = device.managedMemory = 1;
  device.concurrentKernels = device.asyncEngineCount = 1;
  device.memoryBusWidth = 1024;
  device.l2CacheSize = limits.l2_bytes;
  device.persistingL2CacheMaxSize = device.accessPolicyMaxWindowSize = 1 << 21;
  device.maxThreadsPerMultiProcessor = limits.threads_of_multiprocessor;
  device.maxBlocksPerMultiProcessor = limits.blocks_of_multiprocessor;
  device.streamPrioritiesSupported = device.globalL1CacheSupported = device.localL1CacheSupported = 1;
  device.concurrentManagedAccess = device.computePreemptionSupported = device.cooperativeLaunch = 1;
  device.hostRegisterSupported = device.memoryPoolsSupported = device.ipcEventSupported = 1;
  device.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  return device;
}

// By the numbers of cudaDeviceAttr; the others are 0.
int attribute(int number) {
  static const cudaDeviceProp kDevice = properties();
  static const std::map<int, int> kValues = {{1, kDevice.maxThreadsPerBlock},
                                             {2, kDevice.maxThreadsDim[0]},
                                             {3, kDevice.maxThreadsDim[1]},
                                             {4, kDevice.maxThreadsDim[2]},
                                             {5, kDevice.maxGridSize[0]},
                                             {6, kDevice.maxGridSize[1]},
                                             {7, kDevice.maxGridSize[2]},
                                             {8, static_cast<int>(kDevice.sharedMemPerBlock)},
                                             {9, static_cast<int>(kDevice.totalConstMem)},
                                             {10, kDevice.warpSize},
                                             {11, static_cast<int>(kDevice.memPitch)},
                                             {12, kDevice.regsPerBlock},
                                             {13, 1000000},  // kHz
                                             {14, static_cast<int>(kDevice.textureAlignment)},
                                             {16, kDevice.multiProcessorCount},
                                             {19, kDevice.canMapHostMemory},
                                             {21, kDevice.maxTexture1D},
                                             {22, kDevice.maxTexture2D[0]},
                                             {23, kDevice.maxTexture2D[1]},
                                             {24, kDevice.maxTexture3D[0]},
                                             {25, kDevice.maxTexture3D[1]},
                                             {26, kDevice.maxTexture3D[2]},
                                             {27, kDevice.maxTexture2DLayered[0]},
                                             {28, kDevice.maxTexture2DLayered[1]},
                                             {29, kDevice.maxTexture2DLayered[2]},
                                             {30, static_cast<int>(kDevice.surfaceAlignment)},
                                             {31, kDevice.concurrentKernels},
                                             {36, 1000000},  // kHz
                                             {37, kDevice.memoryBusWidth},
                                             {38, kDevice.l2CacheSize},
                                             {39, kDevice.maxThreadsPerMultiProcessor},
                                             {40, kDevice.asyncEngineCount},
                                             {41, kDevice.unifiedAddressing},
                                             {51, static_cast<int>(kDevice.texturePitchAlignment)},
                                             {69, kLinearTextureMax},
                                             {70, kDevice.maxTexture2DLinear[0]},
                                             {71, kDevice.maxTexture2DLinear[1]},
                                             {72, kDevice.maxTexture2DLinear[2]},
                                             {75, kDevice.major},
                                             {76, kDevice.minor},
                                             {78, kDevice.streamPrioritiesSupported},
                                             {79, kDevice.globalL1CacheSupported},
                                             {80, kDevice.localL1CacheSupported},
                                             {81, static_cast<int>(kDevice.sharedMemPerMultiprocessor)},
                                             {82, kDevice.regsPerMultiprocessor},
                                             {83, kDevice.managedMemory},
                                             {89, kDevice.concurrentManagedAccess},
                                             {90, kDevice.computePreemptionSupported},
                                             {95, kDevice.cooperativeLaunch},
                                             {97, static_cast<int>(kDevice.sharedMemPerBlockOptin)},
                                             {99, kDevice.hostRegisterSupported},
                                             {102, 1},  // memory that programs map themselves
                                             {103, 1},  // of other processes, by file descriptors
                                             {107, 1},  // compression, which nobody sees here
                                             {108, kDevice.persistingL2CacheMaxSize},
                                             {109, kDevice.accessPolicyMaxWindowSize},
                                             {106, kDevice.maxBlocksPerMultiProcessor},
                                             {111, static_cast<int>(kDevice.reservedSharedMemPerBlock)},
                                             {115, kDevice.memoryPoolsSupported},
                                             {119, static_cast<int>(kDevice.memoryPoolSupportedHandleTypes)},
                                             {125, kDevice.ipcEventSupported}};
  const auto found = kValues.find(number);
  return found == kValues.end() ? 0 : found->second;
}

cudaError_t only_device(const char* name, int device) {
  return call(name, [&](GpuProcess&) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}

std::map<int, size_t>& limits() {
  static std::map<int, size_t> values = {{cudaLimitStackSize, 1024},
                                         {cudaLimitPrintfFifoSize, size_t{1} << 20},
                                         {cudaLimitMallocHeapSize, size_t{8} << 20}};
  return values;
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaSetDevice(int device) { return only_device("cudaSetDevice", device); }
ASSAY_EXPORTED cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return only_device("cudaInitDevice", device);
}
ASSAY_EXPORTED cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaChooseDevice(int* device, const void*) { return cudaGetDevice(device); }
ASSAY_EXPORTED cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device, int number) {
  *device = properties();
  return only_device("cudaGetDeviceProperties", number);
}
ASSAY_EXPORTED cudaError_t cudaDeviceGetAttribute(int* value, int number, int device) {
  *value = attribute(number);
  return only_device("cudaDeviceGetAttribute", device);
}
ASSAY_EXPORTED cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  std::snprintf(text, static_cast<size_t>(bytes), "0000:00:00.0");
  return only_device("cudaDeviceGetPCIBusId", device);
}
ASSAY_EXPORTED cudaError_t cudaDeviceGetByPCIBusId(int* device, const char*) { return cudaGetDevice(device); }
ASSAY_EXPORTED cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", [](GpuProcess&) {
    const cudaError_t error = check_device_wait();
    if (error == cudaSuccess) host_waits_for_device();
    return error;
  });
}
ASSAY_EXPORTED cudaError_t cudaDeviceReset() {
  host_waits_for_device();
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaDeviceSetCacheConfig(int) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaDeviceGetCacheConfig(int* config) {
  *config = 0;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDeviceSetSharedMemConfig(int) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaDeviceGetSharedMemConfig(int* config) {
  *config = 1;  // banks of 4 bytes
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  limits()[limit] = value;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limits()[limit];
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDriverGetVersion(int* version) {
  *version = kVersion;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
ASSAY_EXPORTED cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return call("cudaDeviceEnablePeerAccess", [](GpuProcess&) { return cudaErrorPeerAccessUnsupported; });
}
ASSAY_EXPORTED cudaError_t cudaProfilerStart() { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaProfilerStop() { return cudaSuccess; }

ASSAY_EXPORTED cudaError_t cudaPeekAtLastError() {
  GpuProcess& process = GpuProcess::get();
  process.unread_error.clear();
  return process.lasting_error != cudaSuccess ? process.lasting_error : process.last_error;
}
ASSAY_EXPORTED cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  GpuProcess::get().last_error = cudaSuccess;
  return error;
}

}  // namespace assay::program
