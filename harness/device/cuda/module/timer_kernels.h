// The small kernels around a timed region. Each function queues one on `stream`.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace assay {

// A stretch of time on one multiprocessor, in its own cycles and in nanoseconds of the GPU's clock.
struct ClockSpan {
  int64_t cycles = 0;
  int64_t ns = 0;
};

// A mailbox lies in host memory that the GPU sees.
struct Mailbox {
  volatile int go = 0;       // the host: all is queued
  volatile int gave_up = 0;  // the GPU: `go` did not come within a second
  ClockSpan before;
  ClockSpan after;
};

// Holds the stream until `go`; gives up after a second, so that work that waits for the GPU is an error, not a hang.
void queue_wait(Mailbox* mailbox, cudaStream_t stream);

void queue_clock(ClockSpan* span, cudaStream_t stream);  // over some 20 microseconds

// Memory aligned to 16 bytes; a rest below 16 bytes is left out. `sink` is written by a chance of 2^-32.
void queue_write(void* memory, size_t bytes, cudaStream_t stream);
void queue_read(const void* memory, size_t bytes, uint32_t* sink, cudaStream_t stream);
void queue_copy(void* to, const void* from, size_t bytes, cudaStream_t stream);

}  // namespace assay
