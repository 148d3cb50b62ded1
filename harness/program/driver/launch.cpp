// Launches, and what programs ask of kernels.
#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/program/driver/result.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/launch.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/runtime_calls.h"

namespace assay::program {
namespace {

enum Attribute : int {
  kThreadsMax,
  kSharedBytes,
  kConstantBytes,
  kLocalBytes,
  kRegisters,
  kPtxVersion,
  kBinaryVersion,
  kCacheModeCa,
  kDynamicSharedMax,
  kCarveout
};

CUresult launch(const char* name, CUfunction function, const simt::Launch& shape, cudaStream_t stream, void** arguments,
                void** extra, Blocks blocks) {
  std::vector<void*> found;
  if (arguments == nullptr && extra != nullptr) {
    auto packed = packed_arguments(function, extra);
    if (!packed) return result_of(packed.error());
    found = std::move(*packed);
    arguments = found.data();
  }
  return result_of(launch_in(name, stream, function, shape, arguments, blocks));
}

}  // namespace

ASSAY_EXPORTED CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                       cudaStream_t stream, void** arguments, void** extra) {
  return launch("cuLaunchKernel", function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes},
                stream, arguments, extra, Blocks::independent);
}
ASSAY_PER_THREAD(cuLaunchKernel, _ptsz);
ASSAY_EXPORTED CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                                  unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                                  unsigned shared_bytes, cudaStream_t stream, void** arguments) {
  return launch("cuLaunchCooperativeKernel", function,
                {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, arguments, nullptr,
                Blocks::cooperative);
}
ASSAY_PER_THREAD(cuLaunchCooperativeKernel, _ptsz);
ASSAY_EXPORTED CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                                         void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const simt::Launch shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                           {config->blockDimX, config->blockDimY, config->blockDimZ},
                           config->sharedMemBytes};
  return launch("cuLaunchKernelEx", function, shape, config->hStream, arguments, extra,
                blocks_of(config->attrs, config->numAttrs));
}
ASSAY_PER_THREAD(cuLaunchKernelEx, _ptsz);

ASSAY_EXPORTED CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  cudaFuncAttributes all{};
  if (const cudaError_t error = cudaFuncGetAttributes(&all, function); error != cudaSuccess) return result_of(error);
  switch (attribute) {
    case kThreadsMax:
      *value = all.maxThreadsPerBlock;
      break;
    case kSharedBytes:
      *value = static_cast<int>(all.sharedSizeBytes);
      break;
    case kConstantBytes:
      *value = static_cast<int>(all.constSizeBytes);
      break;
    case kLocalBytes:
      *value = static_cast<int>(all.localSizeBytes);
      break;
    case kRegisters:
      *value = all.numRegs;
      break;
    case kPtxVersion:
      *value = all.ptxVersion;
      break;
    case kBinaryVersion:
      *value = all.binaryVersion;
      break;
    case kCacheModeCa:
      *value = all.cacheModeCA;
      break;
    case kDynamicSharedMax:
      *value = all.maxDynamicSharedSizeBytes;
      break;
    case kCarveout:
      *value = all.preferredShmemCarveout;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return result_of(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}
ASSAY_EXPORTED CUresult cuFuncSetCacheConfig(CUfunction, int) { return CUDA_SUCCESS; }
ASSAY_EXPORTED CUresult cuFuncSetSharedMemConfig(CUfunction, int) { return CUDA_SUCCESS; }

ASSAY_EXPORTED CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                                             int threads, size_t shared_bytes,
                                                                             unsigned flags) {
  return result_of(
      cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, flags));
}
ASSAY_EXPORTED CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                                    size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}
ASSAY_EXPORTED CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                                int threads) {
  return result_of(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}
// The block with which most threads fit on a multiprocessor, the largest of those; `shared_of`: what a block of a size
// takes of dynamic shared memory, if that depends on it.
ASSAY_EXPORTED CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                         CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit) {
  int most = 0, multiprocessors = 0, threads_max = 0;
  if (const CUresult error = cuFuncGetAttribute(&threads_max, kThreadsMax, function); error != CUDA_SUCCESS)
    return error;
  cudaDeviceGetAttribute(&multiprocessors, 16, 0);
  if (limit > 0) threads_max = std::min(threads_max, limit);
  *grid = *block = 0;
  for (int threads = threads_max; threads > 0; threads = (threads - 1) / 32 * 32) {
    int blocks = 0;
    const size_t shared = shared_of == nullptr ? shared_bytes : shared_of(threads);
    const CUresult error = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared);
    if (error != CUDA_SUCCESS) return error;
    if (blocks * threads <= most) continue;
    most = blocks * threads, *block = threads, *grid = blocks * multiprocessors;
  }
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                                  CUoccupancyB2DSize shared_of, size_t shared_bytes,
                                                                  int limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared_bytes, limit);
}

}  // namespace assay::program
