// Kernels whose statements a seed draws at compile time: values that live across barriers, loops around barriers,
// branches of some threads, local arrays, early returns, votes, atomics and shuffles, nested in each other.
//
// The first kRaceFree have no races and compute in integers, so every order of threads gives the same bits. In the others
// threads read what another one writes, so the order shows.
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/regions/tests/random_kernels.h"

namespace {

using assay::simt::regions::kBounds;

constexpr uint32_t drawn(uint32_t seed, uint32_t place) {
  uint32_t x = seed * 0x9e3779b9u + place * 0x85ebca6bu + 1;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct Block {
  uint32_t thread, threads, x;
  uint32_t* shared;  // a number for each thread, and one more
  const uint32_t* bounds;
};

// The next thread's value, by shared memory.
__device__ uint32_t neighbour(const Block& b, uint32_t value, uint32_t distance) {
  b.shared[b.thread] = value;
  __syncthreads();
  const uint32_t got = b.shared[(b.thread + distance) % b.threads];
  __syncthreads();
  return got;
}

template <uint32_t seed, uint32_t place, uint32_t depth, bool by_warps>
__device__ uint32_t statement(const Block& b, uint32_t a, uint32_t c);

// Some statements one after another. Only statements that all threads come to may have barriers: `depth` counts those
// around it.
template <uint32_t seed, uint32_t place, uint32_t depth, bool by_warps>
__device__ uint32_t statements(const Block& b, uint32_t a, uint32_t c) {
  a = statement<seed, place * 4 + 1, depth, by_warps>(b, a, c);
  const uint32_t kept = a ^ c;  // lives across what follows
  a = statement<seed, place * 4 + 2, depth, by_warps>(b, a, c);
  return statement<seed, place * 4 + 3, depth, by_warps>(b, a + kept, c);
}

template <uint32_t seed, uint32_t place, uint32_t depth, bool by_warps>
__device__ uint32_t statement(const Block& b, uint32_t a, uint32_t c) {
  constexpr uint32_t draw = drawn(seed, place), kind = draw % 20, number = draw / 20 % 29 + 1;
  if constexpr (kind == 0 && seed >= assay::simt::regions::kRaceFree) {
    const uint32_t seen = b.shared[b.threads];
    if (b.thread == number % b.threads) b.shared[b.threads] = a;
    a = neighbour(b, a, number);
    return a + seen;
  } else if constexpr (kind == 0) {
    return a * 3 + c + number;
  } else if constexpr (kind == 1) {
    return a + neighbour(b, a ^ number, number);
  } else if constexpr (kind == 2) {  // a branch of some threads
    if (b.x % (number % 5 + 2) == 0) a = a * 5 + b.x;
    else a ^= number;
    return a;
  } else if constexpr (kind == 3) {  // a loop whose trips differ
    for (uint32_t i = 0; i < b.thread % (number % 7 + 1); ++i) a = a * 9 + i;
    return a;
  } else if constexpr (kind == 4) {  // a local array that lives across a barrier
    uint32_t local[5];
    for (uint32_t i = 0; i < 5; ++i) local[i] = a + i * number;
    a = neighbour(b, a, 1);
    return a + local[(a + number) % 5];
  } else if constexpr (kind == 5) {
    return a + static_cast<uint32_t>(__syncthreads_count(a % 2)) + (__syncthreads_or(a == number) ? 1 : 0);
  } else if constexpr (kind == 6) {  // a sum by atomics
    if (b.thread == 0) b.shared[b.threads] = 0;
    __syncthreads();
    atomicAdd(&b.shared[b.threads], a);
    __syncthreads();
    const uint32_t sum = b.shared[b.threads];
    __syncthreads();
    return a ^ sum;
  } else if constexpr (kind == 7 && by_warps) {
    return a + __shfl_xor_sync(0xffffffff, a, static_cast<int>(number % 32));
  } else if constexpr (kind == 8 && by_warps) {
    for (int offset = 16; offset > 0; offset >>= 1) a += __shfl_down_sync(0xffffffff, a, offset);
    return a ^ __ballot_sync(0xffffffff, a % 3 == 0);
  } else if constexpr (kind == 9 && depth < 2) {  // a loop of all threads around more
    for (uint32_t i = 0; i < b.bounds[number % kBounds] % 4; ++i) a = statements<seed, place, depth + 1, by_warps>(b, a, c + i);
    return a;
  } else if constexpr (kind == 10 && depth < 2) {  // a choice of all threads
    if (b.bounds[number % kBounds] % 2 == 0) return statements<seed, place, depth + 1, by_warps>(b, a, c * 7);
    return neighbour(b, a, number);
  } else if constexpr (kind == 11) {  // a tree
    b.shared[b.thread] = a;
    __syncthreads();
    for (uint32_t stride = b.threads / 2; stride > 0; stride /= 2) {
      if (b.thread < stride) b.shared[b.thread] += b.shared[b.thread + stride];
      __syncthreads();
    }
    const uint32_t sum = b.shared[0];
    __syncthreads();
    return a * 3 + sum;
  } else if constexpr (kind == 12 || kind == 13 || kind == 14) {  // only threads of a range do something
    b.shared[b.thread] = a;
    __syncthreads();
    if constexpr (kind == 12) {
      if (threadIdx.x < number) b.shared[b.thread] += number;
    } else if constexpr (kind == 13) {
      if (static_cast<int>(threadIdx.x) < static_cast<int>(b.bounds[number % kBounds]) - 2) b.shared[b.thread] += number;
    } else {
      if (threadIdx.x == b.bounds[number % kBounds]) b.shared[b.thread] += number;
    }
    __syncthreads();
    a = b.shared[b.thread] * 3;
    __syncthreads();
    return a;
  } else if constexpr (kind == 15) {  // the same in each turn, another for each thread behind the loop
    uint32_t turned = b.bounds[number % kBounds];
    do turned = turned * 5 + 3;  // which takes all eight remainders
    while (turned % 8 != b.thread % 8);
    a = neighbour(b, a, number);
    return a + turned;
  } else if constexpr (kind == 16) {  // one barrier, to which threads come in different turns, which fibers permit
    uint32_t turned = b.bounds[number % kBounds];
    for (uint32_t turn = 0; turn < 8 * (1 + b.bounds[0] % 2); ++turn) {
      turned = turned * 5 + 3;
      if (turned % 8 != b.thread % 8) continue;
      __syncthreads();
      a += turned;
    }
    __syncthreads();
    return a + turned;
  } else if constexpr (kind == 18 || kind == 19) {  // conditions that hold for all threads of most blocks
    const uint32_t width = b.bounds[number % kBounds] * 50, height = b.bounds[number % 3] + 1;
    b.shared[b.thread] = a;
    __syncthreads();
    if constexpr (kind == 18 && number % 4 == 0) {
      if (b.x - 2 < width) b.shared[b.thread] += number;  // the first two wrap
    } else if constexpr (kind == 18 && number % 4 == 1) {
      if (!(width <= b.x + height)) b.shared[b.thread] += number;
    } else if constexpr (kind == 18 && number % 4 == 2) {
      if (static_cast<int>(b.x * (0u - 100'000'000u)) < static_cast<int>(width)) b.shared[b.thread] += number;  // so do many
    } else if constexpr (kind == 18) {
      if (static_cast<int>(b.x) - 2 <= static_cast<int>(width) - 2 && threadIdx.y < height) b.shared[b.thread] ^= number;
    } else {
      for (uint32_t step = 0; step < 4; step += blockDim.y)
        if (b.x < width && threadIdx.y + step < height) b.shared[b.thread] = b.shared[b.thread] * 3 + number + step;
    }
    __syncthreads();
    a = b.shared[b.thread] * 3;
    __syncthreads();
    return a;
  } else {
    return a ^ (c + number);
  }
}

// A parameter that is passed in memory.
struct Numbers {
  uint32_t of[12];
};

template <uint32_t seed>
__global__ void random_kernel(uint32_t* data, const uint32_t* bounds, Numbers numbers) {
  __shared__ uint32_t shared[1025];
  constexpr bool by_warps = seed % 2 == 1, leaves = drawn(seed, 1u << 20) % 3 == 0;
  const uint32_t threads = blockDim.x * blockDim.y * blockDim.z;
  const Block b{threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), threads, threadIdx.x, shared, bounds};
  if (b.thread == 0) shared[threads] = 0;  // a block finds there what the one before has left
  __syncthreads();
  uint32_t& own = data[blockIdx.x * threads + b.thread];
  numbers.of[seed % 12] += b.thread;  // of this thread alone
  const uint32_t before = statements<seed, 0, 0, by_warps>(b, own, blockIdx.x) + numbers.of[seed % 12];
  if (leaves && b.thread % (32 * (1 + bounds[0] % 3)) >= 32) {  // whole warps return, and others go on
    own = before;
    return;
  }
  if (leaves) {
    __syncthreads();
    shared[b.thread] = before;
    __syncthreads();
    own = before + shared[b.thread ^ 1 < threads ? b.thread : 0];
    return;
  }
  own = statements<seed, 1, 0, by_warps>(b, before, b.thread);
}

template <uint32_t seed>
void launch(uint32_t grid, uint32_t x, uint32_t y, uint32_t z, uint32_t* data, const uint32_t* bounds) {
  assay::simt::launch_kernel(random_kernel<seed>, {grid, dim3(x, y, z)}, data, bounds, Numbers{});
}

template <uint32_t... seeds>
std::vector<assay::simt::regions::RandomKernel> kernels_of(std::integer_sequence<uint32_t, seeds...>) {
  return {{reinterpret_cast<const void*>(random_kernel<seeds>), launch<seeds>}...};
}

__global__ void record_turns(uint32_t* turns, uint32_t* next) { turns[blockIdx.x] = (*next)++; }

}  // namespace

__attribute__((visibility("default"))) std::vector<uint32_t> assay::simt::regions::turns_of_blocks(uint32_t count) {
  uint32_t next = 0;
  std::vector<uint32_t> turns(count);
  launch_kernel(record_turns, {count, 1}, turns.data(), &next);
  return turns;
}

__attribute__((visibility("default"))) std::vector<assay::simt::regions::RandomKernel>
assay::simt::regions::random_kernels() {
  return kernels_of(std::make_integer_sequence<uint32_t, kRaceFree + 30>());
}
