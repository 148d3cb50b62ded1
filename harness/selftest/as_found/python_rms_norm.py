# EXPECT: MISMATCH. eps is added outside the root.
# SMALLEST: T=1
"""Root mean square normalisation as a raw kernel; rows may be padded to a stride."""
import cupy as cp

_SOURCE = r"""
extern "C" __global__
void rms_norm_forward(const float* x, const float* weight, float* y, float* rstd,
                      const int n_tokens, const int row_stride, const int padding, const float eps) {
    extern __shared__ float partial[];
    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    const int size = row_stride - padding;

    float sum = 0.f;
    for (int i = tid; i < size; i += blockDim.x) {
        const float v = x[row * row_stride + i];
        sum += v * v;
    }
    partial[tid] = sum;
    __syncthreads();
    if (tid == 0) {
        for (int i = 1; i < blockDim.x; ++i) partial[0] += partial[i];
    }
    __syncthreads();
    const float scale = 1.0f / (sqrtf(partial[0] / size) + eps);
    if (tid == 0) rstd[row] = scale;
    for (int i = tid; i < row_stride; i += blockDim.x)
        y[row * row_stride + i] = i < size ? x[row * row_stride + i] * scale * weight[i] : 0.f;
}
"""

_kernel = cp.RawKernel(_SOURCE, "rms_norm_forward")


def rms_norm(x, weight, eps=1e-6, threads=256):
    y = cp.empty_like(x)
    rstd = cp.empty(x.shape[0], dtype=cp.float32)
    args = (x, weight, y, rstd, x.shape[0], x.shape[1], 0, cp.float32(eps))
    _kernel((x.shape[0],), (threads,), args, shared_mem=threads * 4)
    return y
