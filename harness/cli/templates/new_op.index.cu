// A kernel for new_op_name, to be replaced by yours: one thread for each row.
template <class T>
__global__ void new_op_name(const T* x, unsigned* index, int64_t rows, int64_t cols) {
  const int64_t row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int64_t best = 0;
  for (int64_t i = 1; i < cols; ++i)
    if (float(x[row * cols + i]) > float(x[row * cols + best])) best = i;
  index[row] = unsigned(best);
}
