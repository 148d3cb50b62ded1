# EXPECT: MISMATCH NONFINITE PROPERTY. Rows of padding are not left out.
# SMALLEST: V=2 pad=some
# frozen_string_literal: true

# Loss of a language model and its gradient, in one kernel: a block to a token.
module Kernels
  THREADS = 128

  CROSS_ENTROPY = <<~'CUDA'
    #include <float.h>

    extern "C" __global__ void cross_entropy(const float* logits, const int* labels, float* dlogits, float* losses,
                                             const unsigned int* n_valid, int n_rows, int vocab_size, int ignore_index) {
        __shared__ float scratch[128];
        int row = blockIdx.x, tid = threadIdx.x;
        if (row >= n_rows) return;
        const float* x = logits + (size_t)row * vocab_size;
        float* dx = dlogits + (size_t)row * vocab_size;
        int label = labels[row];
        if (label < 0 || label >= vocab_size) {
            for (int v = tid; v < vocab_size; v += 128) dx[v] = 0.0f;
            return;
        }

        float largest = -FLT_MAX;
        for (int v = tid; v < vocab_size; v += 128) largest = fmaxf(largest, x[v]);
        scratch[tid] = largest;
        __syncthreads();
        for (int half = 64; half > 0; half >>= 1) {
            if (tid < half) scratch[tid] = fmaxf(scratch[tid], scratch[tid + half]);
            __syncthreads();
        }
        largest = scratch[0];
        __syncthreads();

        float sum = 0.0f;
        for (int v = tid; v < vocab_size; v += 128) sum += expf(x[v] - largest);
        scratch[tid] = sum;
        __syncthreads();
        for (int half = 64; half > 0; half >>= 1) {
            if (tid < half) scratch[tid] += scratch[tid + half];
            __syncthreads();
        }
        sum = scratch[0];

        float mean = 1.0f / *n_valid;
        for (int v = tid; v < vocab_size; v += 128)
            dx[v] = (expf(x[v] - largest) / sum - (v == label)) * mean;
        if (tid == 0) atomicAdd(losses, (logf(sum) - (x[label] - largest)) * mean);
    }
  CUDA

  def self.cross_entropy(logits, labels, ignore_index: -100)
    function = Device.compile(CROSS_ENTROPY, 'cross_entropy')
    function.launch(grid: logits.rows, block: THREADS, args: [logits, labels, ignore_index])
  end
end
