// The kernels around a timed region: waiting for the host, reading the clock, flushing and filling the cache.
#include <algorithm>

#include "harness/device/cuda/module/timer_kernels.h"

namespace assay {
namespace {

constexpr int64_t kWaitMaxNs = 1'000'000'000;
constexpr int64_t kClockNs = 20'000;
constexpr int kBlock = 256;
constexpr size_t kBlocksMax = 4096;  // some waves on the largest GPU; the loops do the rest

__device__ int64_t now_ns() {
  int64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void wait_for_host(Mailbox* mailbox) {
  const int64_t begin = now_ns();
  while (mailbox->go == 0) {
    if (now_ns() - begin < kWaitMaxNs) continue;
    mailbox->gave_up = 1;
    return;
  }
}

// The GPU's clock ticks as seldom as once in a microsecond on some, so both ends are at a tick.
__global__ void read_clock(ClockSpan* span) {
  const int64_t before_tick = now_ns();
  int64_t begin = before_tick;
  while (begin == before_tick) begin = now_ns();
  const int64_t begin_cycles = clock64();
  int64_t end = begin;
  while (end - begin < kClockNs) end = now_ns();
  span->cycles = clock64() - begin_cycles;
  span->ns = end - begin;
}

// So many loads of each thread are under way together: with one, a large GPU has too few to keep its memory busy.
constexpr int kAtOnce = 4;

__device__ size_t first() { return blockIdx.x * size_t{kBlock} + threadIdx.x; }
__device__ size_t stride() { return gridDim.x * size_t{kBlock}; }

__global__ void write_all(uint4* memory, size_t count) {
  for (size_t i = first(); i < count; i += stride()) {
    const auto value = static_cast<uint32_t>(i);
    memory[i] = make_uint4(value, value, value, value);
  }
}

__global__ void read_all(const uint4* memory, size_t count, uint32_t* sink) {
  uint32_t seen = 0;
  const auto see = [&](const uint4& value) { seen += value.x ^ value.y ^ value.z ^ value.w; };
  size_t i = first();
  for (; i + (kAtOnce - 1) * stride() < count; i += kAtOnce * stride()) {
    uint4 values[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) values[k] = memory[i + k * stride()];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) see(values[k]);
  }
  for (; i < count; i += stride()) see(memory[i]);
  if (seen == 0x9e3779b9) *sink = seen;  // so that the compiler has to keep the loads
}

__global__ void copy_all(uint4* to, const uint4* from, size_t count) {
  size_t i = first();
  for (; i + (kAtOnce - 1) * stride() < count; i += kAtOnce * stride()) {
    uint4 values[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) values[k] = from[i + k * stride()];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) to[i + k * stride()] = values[k];
  }
  for (; i < count; i += stride()) to[i] = from[i];
}

unsigned blocks_for(size_t count) {
  return static_cast<unsigned>(std::clamp<size_t>((count + kBlock - 1) / kBlock, 1, kBlocksMax));
}

}  // namespace

void queue_wait(Mailbox* mailbox, cudaStream_t stream) { wait_for_host<<<1, 1, 0, stream>>>(mailbox); }

void queue_clock(ClockSpan* span, cudaStream_t stream) { read_clock<<<1, 1, 0, stream>>>(span); }

void queue_write(void* memory, size_t bytes, cudaStream_t stream) {
  const size_t count = bytes / sizeof(uint4);
  write_all<<<blocks_for(count), kBlock, 0, stream>>>(static_cast<uint4*>(memory), count);
}

void queue_read(const void* memory, size_t bytes, uint32_t* sink, cudaStream_t stream) {
  const size_t count = bytes / sizeof(uint4);
  read_all<<<blocks_for(count), kBlock, 0, stream>>>(static_cast<const uint4*>(memory), count, sink);
}

void queue_copy(void* to, const void* from, size_t bytes, cudaStream_t stream) {
  const size_t count = bytes / sizeof(uint4);
  copy_all<<<blocks_for(count), kBlock, 0, stream>>>(static_cast<uint4*>(to), static_cast<const uint4*>(from), count);
}

}  // namespace assay
