// The GPU runtime on a real GPU, and the machine's GPUs.
#include <cuda_runtime_api.h>

#include <cstdint>

#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/module/fill_kernels.h"
#include "harness/device/cuda/module/timer.h"
#include "harness/device/cuda/stream.h"

namespace assay {
namespace {

bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
    case cudaErrorMpsClientTerminated:
      return true;
    default:
      return false;
  }
}

GpuStatus status(cudaError_t error) {
  if (error == cudaSuccess) return std::nullopt;
  // An error is sticky when it comes again after it was taken: that covers those that the list above does not know.
  cudaGetLastError();
  const bool stays = is_sticky(error) || cudaPeekAtLastError() != cudaSuccess;
  return GpuError{.code = static_cast<int>(error),
                  .text = std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")",
                  .sticky = stays,
                  .out_of_memory = error == cudaErrorMemoryAllocation};
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string hex(const char* bytes, int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  const char* b = uuid.bytes;
  return "GPU-" + hex(b, 0, 4) + "-" + hex(b, 4, 6) + "-" + hex(b, 6, 8) + "-" + hex(b, 8, 10) + "-" + hex(b, 10, 16);
}

GpuInfo describe(int index) {
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, index);
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, index) == cudaSuccess ? value : 0;
  };
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  GpuInfo info;
  info.index = index;
  info.name = properties.name;
  info.uuid = uuid_text(properties.uuid);
  info.capability = properties.major * 10 + properties.minor;
  info.driver = version_text(driver);
  info.runtime = version_text(runtime);
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  info.sm_mhz = attribute(cudaDevAttrClockRate) / 1e3;  // the attribute is in kHz
  // Two transfers per clock of the memory, over a bus of so many bits.
  info.memory_bytes_per_s =
      2e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return info;
}

class CudaRuntime : public GpuRuntime {
 public:
  CudaRuntime(int index, cudaStream_t stream) : info_(describe(index)), stream_(stream) {}
  ~CudaRuntime() override { cudaStreamDestroy(stream_); }

  const GpuInfo& info() const override { return info_; }
  void* stream() const override { return stream_; }

  GpuStatus allocate(size_t bytes, void** memory) override {
    void* allocated = nullptr;
    const GpuStatus error = status(cudaMalloc(&allocated, bytes));
    if (!error) *memory = allocated;
    return error;
  }
  void release(void* memory) override { cudaFree(memory); }
  size_t free_bytes() override {
    size_t left = 0, total = 0;
    cudaMemGetInfo(&left, &total);
    return left;
  }
  // Pageable memory is staged before the call returns.
  GpuStatus upload(void* device, const void* host, size_t bytes) override {
    return status(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_));
  }
  GpuStatus download(void* host, const void* device, size_t bytes) override {
    if (const GpuStatus error = status(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_)))
      return error;
    return finish();
  }
  GpuStatus poison(void* device, size_t bytes) override {
    return status(cudaMemsetAsync(device, 0xff, bytes, stream_));
  }
  GpuStatus fill_normal(void* device, int64_t count, DType dtype, uint64_t counter) override {
    const StreamScope scope(stream_);
    queue_normal(device, count, dtype, counter);
    if (const auto refused = take_refusal()) return GpuError{.text = refused->why};
    return std::nullopt;
  }
  GpuStatus finish() override {
    if (const GpuStatus error = status(cudaStreamSynchronize(stream_))) return error;
    return status(cudaGetLastError());
  }

 private:
  GpuInfo info_;
  cudaStream_t stream_;
};

class CudaPlatform : public GpuPlatform {
 public:
  Result<int> count() override {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver)
      return fail("no NVIDIA driver, or one older than CUDA " + version_text(CUDART_VERSION) + ", is installed",
                  "use --device cpu, or a machine with a GPU");
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
      return fail("no GPU is visible", "use --device cpu; CUDA_VISIBLE_DEVICES may hide one");
    if (error != cudaSuccess)
      return fail(std::string("the CUDA runtime does not start: ") + cudaGetErrorString(error), "run nvidia-smi");
    return count;
  }

  Result<std::unique_ptr<GpuRuntime>> open(int index) override {
    const auto failed = [&](cudaError_t error) {
      return fail("GPU " + std::to_string(index) + " cannot be used: " + cudaGetErrorString(error), "run nvidia-smi");
    };
    if (const cudaError_t error = cudaSetDevice(index)) return failed(error);
    // Spinning while a kernel runs: a kernel that hangs then uses up the processor time that its case has.
    cudaSetDeviceFlags(cudaDeviceScheduleSpin);
    cudaStream_t stream = nullptr;
    if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) return failed(error);
    return std::make_unique<CudaRuntime>(index, stream);
  }

  std::unique_ptr<GpuTimer> timer(GpuRuntime& runtime) override { return make_cuda_timer(runtime); }
};

CudaPlatform platform;
const struct Registered {
  Registered() { register_gpu_platform(platform); }
} kRegistered;

}  // namespace
}  // namespace assay
