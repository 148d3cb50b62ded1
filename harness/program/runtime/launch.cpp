// Launches, and what programs ask of kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/program/runtime/device_limits.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/settings.h"

namespace assay::program {
namespace {

// Between <<<…>>> and the call of the host's stub, on each thread of the host.
struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

std::string text_of(const dim3& extents) {
  return extents.z != 1   ? fmt::format("({}, {}, {})", extents.x, extents.y, extents.z)
         : extents.y != 1 ? fmt::format("({}, {})", extents.x, extents.y)
                          : fmt::format("{}", extents.x);
}

// The launch in findings: "launch 3: scale(float*, int), grid 4, block 32".
std::string text_of(const GpuProcess& process, const std::string& kernel, const simt::Launch& shape) {
  return fmt::format("launch {}: {}, grid {}, block {}", process.launches, readable(kernel), text_of(shape.grid),
                     text_of(shape.block));
}

enum class Blocks : uint8_t { independent, cooperative };

cudaError_t launch(GpuProcess& process, const void* function, const simt::Launch& shape, void** arguments,
                   Blocks blocks) {
  const RegisteredKernel* const kernel = Modules::get().kernel_of(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  ++process.launches;
  const auto where = [&] { return text_of(process, kernel->name, shape); };
  const auto compiled = Modules::get().compiled(*kernel);
  if (!compiled) {
    process.found(simt::Kind::skipped, "the kernel was not run: " + compiled.error().line(), where());
    return cudaErrorNoKernelImageForDevice;
  }
  if (shape.shared_bytes > kernel->dynamic_shared_max) {
    process.found(simt::Kind::crash,
                  fmt::format("launch refused: {} bytes of dynamic shared memory, and cudaFuncSetAttribute has not "
                              "raised the kernel's limit of {}",
                              shape.shared_bytes, kernel->dynamic_shared_max),
                  where());
    return cudaErrorInvalidValue;
  }
  const simt::ProgramKernel* chosen = *compiled;
  bool is_checked = process.is_checked() && process.is_wanted(kernel->name);
  // The checked build runs a block to its end before the next; blocks that wait for each other take turns in the other.
  if (const auto* const fast = is_checked && blocks == Blocks::cooperative ? Modules::get().fast(*kernel) : nullptr) {
    process.log().unchecked(readable(kernel->name));
    chosen = fast, is_checked = false;
  }
  const bool done = process.run(*chosen, shape, arguments, is_checked);
  if (process.has_findings()) process.log_findings(where() + calling_line(Called::by_stub));
  return done ? cudaSuccess : cudaErrorInvalidConfiguration;
}

}  // namespace

ASSAY_EXPORTED unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

ASSAY_EXPORTED cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (configurations.empty()) return cudaErrorInvalidConfiguration;
  const Configuration& last = configurations.back();
  *grid = last.grid, *block = last.block, *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  configurations.pop_back();
  return cudaSuccess;
}

ASSAY_EXPORTED cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                            size_t shared_bytes, cudaStream_t) {
  return call("cudaLaunchKernel", [&](GpuProcess& process) {
    return launch(process, function, {grid, block, shared_bytes}, arguments, Blocks::independent);
  });
}
ASSAY_PER_THREAD(cudaLaunchKernel, _ptsz);
ASSAY_EXPORTED cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                       size_t shared_bytes, cudaStream_t) {
  return call("cudaLaunchCooperativeKernel", [&](GpuProcess& process) {
    return launch(process, function, {grid, block, shared_bytes}, arguments, Blocks::cooperative);
  });
}
ASSAY_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

// A handle of a kernel is its host function.
ASSAY_EXPORTED cudaError_t __cudaGetKernel(const void** kernel, const void* function) {
  *kernel = function;
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaGetKernel(const void** kernel, const void* function) {
  return __cudaGetKernel(kernel, function);
}
ASSAY_EXPORTED cudaError_t __cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                              size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(function, grid, block, arguments, shared_bytes, stream);
}
ASSAY_PER_THREAD(__cudaLaunchKernel, _ptsz);

ASSAY_EXPORTED cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                               void** arguments) {
  return cudaLaunchKernel(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                          config->stream);
}
ASSAY_PER_THREAD(cudaLaunchKernelExC, _ptsz);

ASSAY_EXPORTED cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", [&](GpuProcess&) {
    RegisteredKernel* const kernel = Modules::get().kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<size_t>(value) > simt::kSharedBytesMax) return cudaErrorInvalidValue;
    kernel->dynamic_shared_max = static_cast<size_t>(value);
    return cudaSuccess;
  });
}

// Registers are ptxas's choice and not known here; the figure is what leaves room for every block.
ASSAY_EXPORTED cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call("cudaFuncGetAttributes", [&](GpuProcess&) {
    const RegisteredKernel* const kernel = Modules::get().kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const auto compiled = Modules::get().compiled(*kernel);
    if (!compiled) return cudaErrorNoKernelImageForDevice;
    const simt::FunctionFacts& facts = (*compiled)->facts;
    *attributes = {};
    attributes->sharedSizeBytes = facts.shared_bytes;
    attributes->maxThreadsPerBlock =
        facts.threads_max != 0 ? static_cast<int>(facts.threads_max) : static_cast<int>(simt::kThreadsMax);
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel->dynamic_shared_max);
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call("cudaFuncGetName", [&](GpuProcess&) {
    const RegisteredKernel* const kernel = Modules::get().kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = kernel->name.c_str();
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaFuncSetCacheConfig(const void*, int) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaFuncSetSharedMemConfig(const void*, int) { return cudaSuccess; }

// As many blocks as threads and shared memory leave room for.
ASSAY_EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                                  int threads, size_t shared_bytes,
                                                                                  unsigned) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](GpuProcess&) {
    const RegisteredKernel* const kernel = Modules::get().kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (threads < 1) return cudaErrorInvalidValue;
    const auto compiled = Modules::get().compiled(*kernel);
    const size_t shared = shared_bytes + (compiled ? (*compiled)->facts.shared_bytes : 0) + kReservedSharedBytes;
    *blocks = threads > static_cast<int>(simt::kThreadsMax)
                  ? 0
                  : std::min({kThreadsOfMultiprocessor / threads, kBlocksOfMultiprocessor,
                              static_cast<int>(kSharedBytesOfMultiprocessor / shared)});
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                         size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}
ASSAY_EXPORTED cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void*, int blocks, int) {
  *bytes = kSharedBytesOfMultiprocessor / static_cast<size_t>(std::max(blocks, 1)) - kReservedSharedBytes;
  *bytes = std::min(*bytes, simt::kSharedBytesMax);
  return cudaSuccess;
}

}  // namespace assay::program
