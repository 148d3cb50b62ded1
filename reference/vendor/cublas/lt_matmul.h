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

// Column-major, as cuBLAS has it.
struct LtMatrix {
  cudaDataType_t type = CUDA_R_32F;
  bool transposed = false;                // it enters the product so
  int64_t leading = 0, batch_stride = 0;  // elements from column to column, 0 without gaps; from matrix to matrix
  bool operator==(const LtMatrix&) const = default;
};

struct DestroyLtLayout {
  void operator()(cublasLtMatrixLayoutOpaque_t* layout) const;
};
using LtLayout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, DestroyLtLayout>;

// The layout of `count` matrices that enter an operation with so many rows and columns.
cublasStatus_t make_layout(const LtMatrix& matrix, int64_t rows, int64_t cols, LtLayout& layout, int32_t count = 1);

// C = op(A) op(B), `count` times: C has m × n elements, op(A) m × k.
struct LtProblem {
  int64_t m = 0, n = 0, k = 0;
  LtMatrix a = {}, b = {}, c = {};
  int32_t count = 1;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  // With a vector in C's type: BIAS adds its m elements to every column of C, those of each of `count` after the last
  // one's; BGRADB writes the n sums of op(B)'s columns to it.
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  uint32_t alignment = 256;  // of all addresses, in bytes
  bool operator==(const LtProblem&) const = default;
};

struct LtOperands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* vector = nullptr;  // of the epilogue
  float alpha = 1, beta = 0;     // C = alpha op(A) op(B) + beta C
};

class LtMatmul {
 public:
  // With as many algorithms as the heuristic knows, `algorithms_max` at most, the likeliest first; an error where it
  // knows none. All share a workspace.
  static Result<LtMatmul> plan(const LtProblem& problem, int algorithms_max);

  size_t algorithms() const { return algorithms_.size(); }

  // Queues it by one of them on the current stream. A refusal is remembered.
  void run(size_t algorithm, const LtOperands& operands) const;

 private:
  struct Destroy {
    void operator()(cublasLtMatmulDescOpaque_t* description) const;
  };

  cublasStatus_t describe(const LtProblem& problem);
  cublasStatus_t find_algorithms(const LtProblem& problem, int algorithms_max);

  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  bool integers_ = false;  // alpha and beta are
  bool takes_vector_ = false;
  std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy> operation_;
  LtLayout a_, b_, c_;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
};

}  // namespace assay::vendor
