// Launches, and what programs ask of kernels.
#include "harness/program/runtime/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/program/device_limits.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/launch_capture.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/settings.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/simt/include/simt/child_launches.h"

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

// Runs what the kernels of a launch have launched, and what these launch. `of`: the launch, in findings. False: they
// have launched nothing.
bool run_children(GpuProcess& process, const std::string& of, bool is_checked) {
  bool any = false;
  while (const auto child = simt::take_child()) {
    any = true;
    std::string where = "a copy that a kernel asked for";
    if (child->kernel == nullptr) {
      run("cudaMemcpyAsync", linear_copy(child->to, child->from, child->bytes, cudaMemcpyDeviceToDevice));
    } else {
      const simt::ProgramKernel& kernel = *child->kernel;
      std::vector<void*> arguments;
      size_t at = 0;
      for (size_t i = 0; i < kernel.parameters; at += kernel.sizes[i++]) {
        at = (at + kernel.alignments[i] - 1) / kernel.alignments[i] * kernel.alignments[i];
        arguments.push_back(child->arguments + at);
      }
      if (follows_streams())
        launch_is(fmt::format("kernel {} by a kernel of launch {}", readable(kernel.name), process.launches), nullptr);
      process.run(kernel, child->shape, arguments.data(), is_checked);
      launch_accessed(is_checked ? &process.footprint() : nullptr);
      where = fmt::format("{}, grid {}, block {}, launched by a kernel", readable(kernel.name),
                          text_of(child->shape.grid), text_of(child->shape.block));
      simt::child_done(*child);
    }
    if (process.has_findings()) process.log_findings(where + " of " + of);
  }
  return any;
}

}  // namespace

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
  if (follows_streams())
    launch_is(fmt::format("kernel {} of launch {}", readable(kernel->name), process.launches), kernel);
  const auto capture = LaunchCapture::of(process, *kernel, **compiled, shape, arguments, is_checked);
  const bool done = process.run(*chosen, shape, arguments, is_checked);
  launch_accessed(is_checked ? &process.footprint() : nullptr);
  const simt::Kind worst = process.worst_finding();
  if (process.has_findings()) process.log_findings(where() + calling_line(Called::by_stub));
  const bool has_children = run_children(process, where(), is_checked);
  if (capture != nullptr) capture->finish(where() + calling_line(Called::by_stub), worst, has_children);
  return done ? cudaSuccess : cudaErrorInvalidConfiguration;
}

tl::expected<KernelWork, cudaError_t> kernel_work(GpuProcess& process, const void* function, const simt::Launch& shape,
                                                  void** arguments, Blocks blocks) {
  const RegisteredKernel* const kernel = Modules::get().kernel_of(function);
  if (kernel == nullptr) return tl::unexpected(cudaErrorInvalidDeviceFunction);
  const auto compiled = Modules::get().compiled(*kernel);
  if (!compiled) {
    process.found(simt::Kind::skipped, "the kernel cannot be put into a graph: " + compiled.error().line(),
                  readable(kernel->name));
    return tl::unexpected(cudaErrorNoKernelImageForDevice);
  }
  if (arguments == nullptr && (*compiled)->parameters != 0) return tl::unexpected(cudaErrorInvalidValue);
  auto copies = std::make_shared<Arguments>();
  for (size_t i = 0; i < (*compiled)->parameters; ++i) {
    const auto* const value = static_cast<const std::byte*>(arguments[i]);
    copies->values.emplace_back(value, value + (*compiled)->sizes[i]);
  }
  for (auto& value : copies->values) copies->pointers.push_back(value.data());
  return KernelWork{function, shape, std::move(copies), blocks};
}

cudaError_t launch_in(const char* name, cudaStream_t stream, const void* function, const simt::Launch& shape,
                      void** arguments, Blocks blocks) {
  return ordered(
      name, stream, [&](GpuProcess& process) { return launch(process, function, shape, arguments, blocks); },
      [&](GpuProcess& process) -> tl::expected<Work, cudaError_t> {
        return kernel_work(process, function, shape, arguments, blocks);
      });
}

Blocks blocks_of(const cudaLaunchAttribute* attributes, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (attributes[i].id == cudaLaunchAttributeCooperative && attributes[i].val.cooperative != 0)
      return Blocks::cooperative;
  return Blocks::independent;
}

tl::expected<std::vector<void*>, cudaError_t> packed_arguments(const void* function, void** extra) {
  const auto word = [](void* each) { return reinterpret_cast<uintptr_t>(each); };
  constexpr uintptr_t kEnd = 0, kBuffer = 1, kBytes = 2;
  char* buffer = nullptr;
  size_t bytes = 0;
  for (; word(*extra) != kEnd; extra += 2) {
    if (word(*extra) == kBuffer) buffer = static_cast<char*>(extra[1]);
    if (word(*extra) == kBytes) bytes = *static_cast<size_t*>(extra[1]);
    if (word(*extra) > kBytes) return tl::unexpected(cudaErrorInvalidValue);
  }
  const std::lock_guard lock(GpuProcess::get().lock());
  const RegisteredKernel* const kernel = Modules::get().kernel_of(function);
  const auto compiled =
      kernel == nullptr ? Result<const simt::ProgramKernel*>(nullptr) : Modules::get().compiled(*kernel);
  std::vector<void*> pointers;
  if (kernel == nullptr || !compiled) return pointers;  // the launch says what is wrong
  size_t at = 0;
  for (size_t i = 0; i < (*compiled)->parameters; ++i) {
    const size_t size = (*compiled)->sizes[i];
    if (size != 1 && size != 2 && size != 4 && size != 8) return tl::unexpected(cudaErrorNotSupported);
    at = (at + size - 1) / size * size;
    if (buffer == nullptr || at + size > bytes) return tl::unexpected(cudaErrorInvalidValue);
    pointers.push_back(buffer + at);
    at += size;
  }
  return pointers;
}

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
                                            size_t shared_bytes, cudaStream_t stream) {
  return launch_in("cudaLaunchKernel", stream, function, {grid, block, shared_bytes}, arguments, Blocks::independent);
}
ASSAY_PER_THREAD(cudaLaunchKernel, _ptsz);
ASSAY_EXPORTED cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                                       size_t shared_bytes, cudaStream_t stream) {
  return launch_in("cudaLaunchCooperativeKernel", stream, function, {grid, block, shared_bytes}, arguments,
                   Blocks::cooperative);
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
  return launch_in("cudaLaunchKernelEx", config->stream, function,
                   {config->gridDim, config->blockDim, config->dynamicSmemBytes}, arguments,
                   blocks_of(config->attrs, config->numAttrs));
}
ASSAY_PER_THREAD(cudaLaunchKernelExC, _ptsz);

ASSAY_EXPORTED cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call("cudaFuncSetAttribute", [&](GpuProcess&) {
    RegisteredKernel* const kernel = Modules::get().kernel_of(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<size_t>(value) > settings().device.shared_of_block) return cudaErrorInvalidValue;
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
    const DeviceLimits& limits = settings().device;
    const size_t shared = shared_bytes + (compiled ? (*compiled)->facts.shared_bytes : 0) + kReservedSharedBytes;
    *blocks = threads > static_cast<int>(simt::kThreadsMax)
                  ? 0
                  : std::min({limits.threads_of_multiprocessor / threads, limits.blocks_of_multiprocessor,
                              static_cast<int>(limits.shared_of_multiprocessor / shared)});
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                                         size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}
ASSAY_EXPORTED cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void*, int blocks, int) {
  const DeviceLimits& limits = settings().device;
  *bytes = limits.shared_of_multiprocessor / static_cast<size_t>(std::max(blocks, 1)) - kReservedSharedBytes;
  *bytes = std::min(*bytes, limits.shared_of_block);
  return cudaSuccess;
}

}  // namespace assay::program
