// A kernel for new_op_name, to be replaced by yours: one thread for each row.
template <class T>
__global__ void new_op_name(const T* x, const T* bias, T* y, float* sum, int64_t rows, int64_t cols) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float total = 0;
  for (int64_t i = 0; i < cols; ++i) {
    const float value = float(x[row * cols + i]) + float(bias[i]);
    y[row * cols + i] = T(value);
    total += value;
  }
  sum[row] = total;
}
