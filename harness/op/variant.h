// The header of a kernel file: how a variant registers itself, and how its host part reaches the tensors and launches.
//
// The same file is compiled by nvcc for the GPU and by the host compiler for the executor; this header is the only
// place that knows which. It is kept lean, because every kernel file pays for it.
//
//   static const assay::RegisterVariant kVariant({.op = "softmax_forward", .name = "warp_per_row", …, .run = run});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/case/case.h"
#include "harness/op/constant.h"
#include "harness/op/precision.h"

namespace assay {

class Call;

// The values of a dim or attribute that a variant takes, where its op admits more: some values, or whole numbers from
// min to max. Generated cases stay inside.
struct Domain {
  std::string name;
  int64_t min = 0, max = 0;
  std::vector<std::string> values = {};  // not empty: these, and no others
};

struct Variant {
  std::string op;
  std::string name;     // its idea: "warp_per_row", never "v3"
  std::string summary;  // one sentence: what it does differently and what that costs
  std::vector<DType> dtypes = {DType::f32, DType::bf16, DType::f16};
  std::vector<int> blocks = {};  // block sizes that a caller may choose; empty: the variant fixes its own
  // Its kernels stride over whatever grid they are given, and it launches call.grid(its own choice) blocks of them.
  bool any_grid = false;
  int aligned = 1;            // bytes of which every tensor's address must be a multiple; 1: its elements' size
  std::string vendor = {};    // the library that does the work, "cuBLAS"; empty: a kernel of ours or a user's
  bool deterministic = true;  // false: float atomics or the like; two runs may differ in the last bits
  // Declared precisions: what it rounds beyond f32 arithmetic. The budgets then know (harness/op/precision.h).
  std::vector<std::string> rounds = {};     // intermediates rounded to the case's dtype, of Contract::roundings
  Accumulate accumulate = Accumulate::f32;  // its arithmetic
  bool ftz = false;                         // subnormals of f32 are 0 to it
  bool fast_math = false;                   // it computes by fast intrinsics; -use_fast_math is this and ftz
  // The number that it puts in place of a score that its op masks; minus infinity is the op's own. A declaration too.
  double mask_value = -std::numeric_limits<double>::infinity();
  std::vector<std::string> omits = {};  // outputs that it does not make: nobody judges them
  std::vector<Domain> domains = {};
  // A composite has these instead of `run`: the variant that each step takes, by the step's name (composite.h).
  std::vector<StepChoice> steps = {};
  std::vector<Constant> constants = {};  // inputs that it is judged with one value in every element of
  std::function<std::optional<std::string>(const Case&)> unsupported = nullptr;  // why it cannot run the case, if so
  std::function<void(Case&)> adjust = nullptr;  // moves a random case to one near it that it supports, if that helps
  // The element of a tensor at which its kernels look for a multi-dimensional index; nothing for tensors that the
  // function does not know. Judged on shapes of more elements than memory holds, so it must be the code that the
  // kernels use.
  std::function<std::optional<int64_t>(const Case&, std::string_view tensor, const std::vector<int64_t>& index)>
      element_at = nullptr;
  std::function<int64_t(const Case&)> workspace_bytes = nullptr;  // scratch memory it needs, if any
  std::function<void(Call&)> run = nullptr;
  std::string device = {};  // "cpu", "cpu-checked" or "gpu": set on registration by the build that compiled the file
  // The hash of its file's machine code; 0: not known. Set on registration in builds for the executor.
  uint64_t code = 0;

  // Not inline: every kernel file has one variant that it destroys, which would be a third of a short file's code.
  ~Variant();
};

void register_variant(const Variant& variant);

// One run of a variant: the case and device pointers to its tensors by the contract's names. Unknown names abort with
// the case line: they are a mistake in the variant.
class Call {
 public:
  struct Buffer {
    std::string_view name;
    void* data;
    int64_t bytes;
    std::vector<int64_t> shape = {};
  };
  Call(const Case& c, std::vector<Buffer> buffers, void* workspace)
      : case_(c), buffers_(std::move(buffers)), workspace_(workspace) {}

  const Case& c() const { return case_; }
  int64_t dim(std::string_view name) const { return case_.dim(name); }
  float real(std::string_view name) const { return static_cast<float>(case_.real(name)); }
  const std::string& text(std::string_view name) const { return case_.text(name); }
  DType dtype() const { return case_.dtype; }
  // Blocks to launch: the case's, or `usual` where it leaves them to the variant. For variants that take any_grid.
  unsigned grid(int64_t usual) const { return static_cast<unsigned>(case_.grid ? *case_.grid : usual); }
  unsigned block() const { return static_cast<unsigned>(case_.block.value_or(0)); }

  // nullptr for a tensor that the case leaves out (TensorSpec::absent).
  template <class T>
  const T* in(std::string_view name) const {
    return static_cast<const T*>(pointer(name));
  }
  template <class T>
  T* out(std::string_view name) const {
    return static_cast<T*>(pointer(name));
  }
  template <class T>
  T* workspace() const {
    return static_cast<T*>(workspace_);
  }
  const std::vector<Buffer>& buffers() const { return buffers_; }  // in the contract's order

 private:
  void* pointer(std::string_view name) const;

  const Case& case_;
  std::vector<Buffer> buffers_;
  void* workspace_;
};

}  // namespace assay

// ASSAY_GPU_HOST: a file of the GPU's build without kernels of its own, which the host compiler compiles (a vendor's
// library).
#if defined(__CUDACC__) || defined(ASSAY_CPU_KERNEL) || defined(ASSAY_GPU_HOST)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "harness/simt/include/simt/launch_shape.h"
#if defined(ASSAY_CPU_KERNEL)
#include "harness/simt/include/simt/launch.h"
#else
#include "harness/device/cuda/stream.h"
#endif

namespace assay {

// Calls f.operator()<T>() with the kernel's element type for the case's dtype.
template <class F>
void by_dtype(const Call& call, F f) {
  switch (call.dtype()) {
    case DType::f32:
      return f.template operator()<float>();
    case DType::bf16:
      return f.template operator()<__nv_bfloat16>();
    case DType::f16:
      return f.template operator()<__half>();
    case DType::u32:
    case DType::u8:
    case DType::u64:
      break;  // no op computes in integers
  }
}

using simt::Launch;

#if defined(__CUDACC__)
inline void note_if_refused(const Launch& shape, cudaError_t error) {
  if (error == cudaSuccess) return;
  const auto text = [](dim3 d) {
    return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
  };
  note_refused_launch("launch of grid " + text(shape.grid) + " block " + text(shape.block) + " with " +
                      std::to_string(shape.shared_bytes) +
                      " bytes of dynamic shared memory: " + cudaGetErrorString(error));
}
#endif

// kernel<<<grid, block, shared_bytes>>>(args…) on the GPU, in the current stream (harness/device/cuda/stream.h); the
// executor's launch on the CPU. Launches of one run happen in order.
#if defined(__CUDACC__) || defined(ASSAY_CPU_KERNEL)
template <class... Params>
void launch(void (*kernel)(Params...), const Launch& shape, std::type_identity_t<Params>... args) {
#if defined(__CUDACC__)
  if (shape.shared_bytes > 0)  // static and dynamic together may be more than 48 KB only of a kernel that asks for it
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes));
  kernel<<<shape.grid, shape.block, shape.shared_bytes, static_cast<cudaStream_t>(current_stream())>>>(args...);
  note_if_refused(shape, cudaGetLastError());
#else
  simt::launch_kernel(kernel, shape, args...);
#endif
}
#endif

inline unsigned ceil_div(int64_t a, int64_t b) { return static_cast<unsigned>((a + b - 1) / b); }

#if defined(ASSAY_CPU_KERNEL)
// The hash of this file's code: assay_finish defines it between compiler and assembler.
extern "C" __attribute__((visibility("hidden"))) const uint64_t assay_code_hash;
#endif

struct RegisterVariant {
  explicit RegisterVariant(Variant&& variant) {
#if defined(ASSAY_CPU_CHECKED)
    variant.device = "cpu-checked";
#elif defined(ASSAY_CPU_KERNEL)
    variant.device = "cpu";
#else
    variant.device = "gpu";
#endif
#if defined(ASSAY_CPU_KERNEL)
    variant.code = assay_code_hash;
#endif
    register_variant(variant);
  }
};

}  // namespace assay
#endif
