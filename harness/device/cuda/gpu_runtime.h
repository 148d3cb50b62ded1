// The calls of the CUDA runtime that the harness makes, as an interface: what nvcc's build makes (the module
// libassay_gpu.so, or a part of a static program) implements it on a real GPU, tests on the host's memory.
//
// Everything is queued on one stream, the runtime's own. Errors are values; a sticky one (an illegal access, a trap)
// makes every later call of the process fail, so the process has to end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/device/cuda/gpu_info.h"
#include "harness/tensor/dtype.h"

namespace assay {

struct GpuError {
  int code = 0;      // of cudaError_t
  std::string text;  // "an illegal memory access was encountered (cudaErrorIllegalAddress)"
  bool sticky = false;
  bool out_of_memory = false;
};
using GpuStatus = std::optional<GpuError>;  // nothing: it went well

class GpuTimer;  // gpu_timer.h

class GpuRuntime {
 public:
  virtual ~GpuRuntime() = default;
  virtual const GpuInfo& info() const = 0;
  virtual void* stream() const = 0;  // a cudaStream_t; what kernels and libraries are given (see stream.h)

  // Memory aligned to 256 bytes; `*memory` is untouched when it fails.
  virtual GpuStatus allocate(size_t bytes, void** memory) = 0;
  virtual void release(void* memory) = 0;
  virtual size_t free_bytes() = 0;

  // Queued on the stream; host memory may be reused when the call returns.
  virtual GpuStatus upload(void* device, const void* host, size_t bytes) = 0;
  virtual GpuStatus download(void* host, const void* device, size_t bytes) = 0;
  // Fills memory of the GPU with 0xff bytes: NaN in every float type, and a large index.
  virtual GpuStatus poison(void* device, size_t bytes) = 0;
  // Makes `count` elements of a float dtype there as the fill `normal` does: element i is normal_at(counter, i)
  // (tensor/counter.h), rounded to nearest even.
  virtual GpuStatus fill_normal(void* device, int64_t count, DType dtype, uint64_t counter) = 0;

  // Waits until all that was queued is done, and reports what went wrong since the last time.
  virtual GpuStatus finish() = 0;
};

// The GPUs of this machine. The module registers one when it is loaded, a static program when it starts.
class GpuPlatform {
 public:
  virtual ~GpuPlatform() = default;
  virtual Result<int> count() = 0;  // an error where there is no driver or no GPU; never 0
  virtual Result<std::unique_ptr<GpuRuntime>> open(int index) = 0;
  // A timer of the work queued on a runtime that open() made; must not outlive it.
  virtual std::unique_ptr<GpuTimer> timer(GpuRuntime& runtime) = 0;
};

void register_gpu_platform(GpuPlatform& platform);

// Loads the module beside the program, once, and with it the GPU's variants; the reason when there is none or it does
// not load. A static program needs none, and takes none: an error where ASSAY_GPU_MODULES names some. Whether a GPU is
// there is another question: count() answers it.
Result<GpuPlatform*> gpu_platform();

// Why nothing can run on a GPU here (no module, no driver, no GPU), as one sentence; nothing when it can.
std::optional<Error> why_no_gpu();

// Whether one can be used; looks for the driver first, so that it costs nothing where there is none.
bool gpu_is_here();

}  // namespace assay
