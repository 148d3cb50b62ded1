// Lets cuBLASLt's epilogue write db where it is to be added to.
#include "reference/vendor/cublas/column_sums.cuh"

namespace assay::vendor {
template <class T>
void launch_all_by_epilogue(WeightGradients gradients) {
  gradients.by_epilogue = true;
  launch_weight_gradients<T>(gradients);
}
}  // namespace assay::vendor

#define launch_weight_gradients launch_all_by_epilogue
#include "reference/vendor/cublas/linear_backward_gemm.cu"
