// The three benchmark kernels in OpenCL C, for PoCL: the strongest other way to run such kernels on a CPU, measured
// side by side in the same run.
#pragma once

#include <memory>
#include <string>

namespace assay::bench {

class Pocl {
 public:
  // nullptr when no OpenCL platform of a CPU is present. PoCL is given one OS thread, as the executor is.
  static std::unique_ptr<Pocl> open();
  virtual ~Pocl() = default;

  // Each runs its kernel once and waits, on buffers of its own that hold arbitrary values.
  virtual void softmax_backward(int rows, int cols) = 0;
  virtual void attention_backward(int tokens, int heads, int dim) = 0;
  virtual void transpose(int rows, int cols, int block_rows) = 0;
};

}  // namespace assay::bench
