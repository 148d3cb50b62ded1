// Products of matrices by cublasLtMatmul, with the algorithms that its heuristic names for a shape. The heuristic only
// guesses which is fastest; whoever measures tries several.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/base/error.h"
#include "reference/vendor/cublas/handle.h"

namespace assay::vendor {

// C = op(A) op(B), column-major as cuBLAS has it, and without gaps: C has m × n elements, op(A) m × k.
struct LtProblem {
  int64_t m = 0, n = 0, k = 0;
  bool a_transposed = false, b_transposed = false;
  cudaDataType_t type = CUDA_R_32F;  // of A and B
  cudaDataType_t out = CUDA_R_32F;   // of C
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};

struct LtOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
};

inline constexpr size_t kLtWorkspaceBytes = size_t{32} << 20;  // what NVIDIA recommends for Hopper

class LtMatmul {
 public:
  // With as many algorithms as the heuristic knows, `algorithms_max` at most, the likeliest first; an error where it
  // knows none. All take kLtWorkspaceBytes at most.
  static Result<LtMatmul> plan(const LtProblem& problem, int algorithms_max);

  size_t algorithms() const { return algorithms_.size(); }

  // Queues it by one of them on the current stream: C = op(A) op(B), or C += with `accumulate`. A refusal is
  // remembered. Operands are aligned to 256 bytes.
  void run(size_t algorithm, const LtOperands& operands, bool accumulate, void* workspace) const;

 private:
  template <class T>
  struct Destroy {
    void operator()(T* description) const;
  };
  using Operation = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy<cublasLtMatmulDescOpaque_t>>;
  using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy<cublasLtMatrixLayoutOpaque_t>>;

  cublasStatus_t describe(const LtProblem& problem);
  cublasStatus_t find_algorithms(int algorithms_max);

  cublasLtHandle_t handle_ = nullptr;
  bool integers_ = false;  // alpha and beta are
  Operation operation_;
  Layout a_, b_, c_;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
};

}  // namespace assay::vendor
