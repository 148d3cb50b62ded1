// A kernel for new_op_name, to be replaced by yours: one thread for each element.
template <class T>
__global__ void new_op_name(const T* x, const T* bias, T* y, float scale, int64_t n) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = T(scale * float(x[i]) + float(bias[i]));
}
