// A variable that only some threads give a value. The compiler has noticed.
// OPTIONS: --op residual_add --cases 12
// SAYS: the compiler warns
// SAYS: no_value.cu:11: 'sum' may be used uninitialized [-Wmaybe-uninitialized]
__global__ void residual_add(const float* a, const float* b, float* out, int64_t T, int64_t aE) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= T * aE) return;
  // Left to chance where a is negative.
  float sum;
  if (a[i] >= 0) sum = a[i] + b[i];
  out[i] = sum;
}
