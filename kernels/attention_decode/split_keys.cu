// The keys split over blocks, each of which serves up to four query heads of a group; a second kernel merges the parts
// by their maxima and sums.
//
// Against block_per_head: one query keeps the whole machine busy, keys and values are read once for four heads instead
// of once for each, in packs of 16 bytes, and no score is stored. Lanes share a key, so many that each has 16 elements
// of it and of the sums: eight, or sixteen for heads beyond 128 elements. The price is a second launch, a workspace of
// D + 2 numbers for each head and part, and heads of at most 256 elements, for the sums are in registers.
#include <algorithm>
#include <cmath>

#include "kernels/attention_decode/key_split.h"
#include "kernels/device/decode.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace {

using namespace assay::device;

constexpr int kThreads = 128, kWarps = kThreads / static_cast<int>(kWarp);
constexpr int kColumns = 16;  // of a head, that a lane has
constexpr int kDimMax = 256;
constexpr int kMergeWarps = 8;

// Three blocks on each multiprocessor, which key_split.h counts on: up to 168 registers for a thread.
constexpr int kBlocksOfMultiprocessor = 3;

// The results of a group of lanes for one query head: of its own keys, and in `out` of its own columns.
struct Part {
  float maximum = -INFINITY, total = 0, out[kColumns] = {};

  __device__ void rescale(float to) {
    const float factor = decode_weight(maximum, to);
    maximum = to;
    total *= factor;
    for (float& element : out) element *= factor;
  }
};

// The places of a head's parts in the workspace: maximum and total of each, then its sums.
struct Parts {
  float* memory;  // (heads, parts, 2 + dim)
  int64_t parts, dim;

  __device__ float* at(int64_t head, int64_t part) const { return memory + (head * parts + part) * (2 + dim); }
};

// Adds the groups of kKeyLanes lanes of a warp up; all of its lanes have the result.
template <int kKeyLanes>
__device__ void merge_warp(Part& part) {
  for (int distance = kKeyLanes; distance < static_cast<int>(kWarp); distance *= 2) {
    const float other = __shfl_xor_sync(kAllLanes, part.maximum, distance);
    part.rescale(Larger()(part.maximum, other));
    part.total += __shfl_xor_sync(kAllLanes, part.total, distance);
    for (float& element : part.out) element += __shfl_xor_sync(kAllLanes, element, distance);
  }
}

// Adds up the keys of part blockIdx.y. q: (heads, stride)  k, v: (kv_heads, capacity,
// stride). Block x: kHeads query heads of a group, or the rest of it.
template <class T, int kHeads, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocksOfMultiprocessor)
    add_keys(const T* q, const T* k, const T* v, Parts parts, int64_t keys_of_part, DecodeArgs args) {
  constexpr int kWidth = Pack<T>::kWidth, kPacks = kColumns / kWidth;
  constexpr int kKeyLanes = kDim / kColumns, kKeysAtOnce = kThreads / kKeyLanes;
  __shared__ float queries[kHeads][kDim];
  __shared__ float sums[kWarps][kHeads][2 + kDim];
  const int64_t pieces = (args.group() + kHeads - 1) / kHeads, kv_head = blockIdx.x / pieces;
  const int64_t first_in_group = blockIdx.x % pieces * kHeads, first_head = kv_head * args.group() + first_in_group;
  const int heads = static_cast<int>(args.group() - first_in_group < kHeads ? args.group() - first_in_group : kHeads);
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kKeyLanes);

  for (int i = static_cast<int>(threadIdx.x); i < kHeads * kDim; i += kThreads) {
    const bool exists = i / kDim < heads && i % kDim < args.dim;
    queries[i / kDim][i % kDim] = exists ? static_cast<float>(q[args.q_at(first_head + i / kDim) + i % kDim]) : 0;
  }
  __syncthreads();

  Part mine[kHeads];
  const int64_t begin = blockIdx.y * keys_of_part, beyond = begin + keys_of_part;
  const int64_t end = beyond < args.keys ? beyond : args.keys;
  for (int64_t base = begin; base < end; base += kKeysAtOnce) {
    const int64_t slot = base + threadIdx.x / kKeyLanes;
    const int64_t count = slot < end ? args.dim : 0;  // of a slot beyond, nothing is read
    const T* key = k + args.kv_at(kv_head, slot);
    const T* value = v + args.kv_at(kv_head, slot);
    const bool key_aligned = is_pack_aligned(key), value_aligned = is_pack_aligned(value);

    float products[kHeads] = {};
    Pack<T> values[kPacks];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      const int first = (p * kKeyLanes + lane) * kWidth;
      const Pack<T> pack = load_pack(key, first, count, key_aligned, 0);
      values[p] = load_pack(value, first, count, value_aligned, 0);
      for (int h = 0; h < kHeads; ++h)
        for (int i = 0; i < kWidth; ++i) products[h] += static_cast<float>(pack.values[i]) * queries[h][first + i];
    }
#pragma unroll
    for (int h = 0; h < kHeads; ++h) {
      const float score = group_reduce<kKeyLanes>(products[h], Add()) * args.scale;
      if (slot >= end) continue;
      const float maximum = Larger()(mine[h].maximum, score);
      if (maximum != mine[h].maximum) mine[h].rescale(maximum);
      const float weight = decode_weight(score, maximum);
      mine[h].total += weight;
      for (int p = 0; p < kPacks; ++p)
        for (int i = 0; i < kWidth; ++i)
          mine[h].out[p * kWidth + i] += weight * static_cast<float>(values[p].values[i]);
    }
  }

#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    merge_warp<kKeyLanes>(mine[h]);
    if (threadIdx.x % kWarp >= kKeyLanes) continue;
    float* to = sums[warp][h];
    if (lane == 0) {
      to[0] = mine[h].maximum;
      to[1] = mine[h].total;
    }
    for (int p = 0; p < kPacks; ++p)
      for (int i = 0; i < kWidth; ++i) to[2 + (p * kKeyLanes + lane) * kWidth + i] = mine[h].out[p * kWidth + i];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < heads * (1 + static_cast<int>(args.dim)); i += kThreads) {
    const int h = i % heads, place = 1 + i / heads;  // the total, then the sums
    float maximum = -INFINITY, sum = 0;
    for (int w = 0; w < kWarps; ++w) maximum = Larger()(maximum, sums[w][h][0]);
    for (int w = 0; w < kWarps; ++w) sum += sums[w][h][place] * decode_weight(sums[w][h][0], maximum);
    float* to = parts.at(first_head + h, blockIdx.y);
    to[place] = sum;
    if (place == 1) to[0] = maximum;
  }
}

// out: (heads, stride). A block per head: its warps take the parts in turn, and lanes the columns, so that the loads of
// many parts are on their way together.
template <class T>
__global__ void __launch_bounds__(kMergeWarps* kWarp) merge_parts(Parts parts, T* out, DecodeArgs args) {
  constexpr int kLaneColumns = kDimMax / static_cast<int>(kWarp);
  __shared__ float sums[kMergeWarps][kDimMax];
  const int64_t head = blockIdx.x;
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kWarp);
  float maximum = -INFINITY, total = 0, mine[kLaneColumns] = {};
  for (int64_t p = lane; p < parts.parts; p += kWarp) maximum = Larger()(maximum, parts.at(head, p)[0]);
  maximum = warp_reduce(maximum, Larger());
  for (int64_t p = lane; p < parts.parts; p += kWarp)
    total += parts.at(head, p)[1] * decode_weight(parts.at(head, p)[0], maximum);
  total = warp_reduce(total, Add());
  for (int64_t p = warp; p < parts.parts; p += kMergeWarps) {
    const float* part = parts.at(head, p);
    const float weight = decode_weight(part[0], maximum);
#pragma unroll
    for (int i = 0; i < kLaneColumns; ++i) {
      const int column = i * static_cast<int>(kWarp) + lane;
      if (column < args.dim) mine[i] += part[2 + column] * weight;
    }
  }
#pragma unroll
  for (int i = 0; i < kLaneColumns; ++i) sums[warp][i * static_cast<int>(kWarp) + lane] = mine[i];
  __syncthreads();
  for (int64_t d = threadIdx.x; d < args.stride; d += blockDim.x) {
    float sum = 0;
    for (int w = 0; d < args.dim && w < kMergeWarps; ++w) sum += sums[w][d];
    out[args.q_at(head) + d] = static_cast<T>(d < args.dim ? sum / total : 0);
  }
}

int heads_at_once(const DecodeArgs& args) { return args.group() == 1 ? 1 : 4; }
int64_t blocks_of_part(const DecodeArgs& args) {
  return args.kv_heads * ((args.group() + heads_at_once(args) - 1) / heads_at_once(args));
}

assay::attention_decode::KeySplit split_of(const DecodeArgs& args) {
  const int key_lanes = (args.dim <= kDimMax / 2 ? kDimMax / 2 : kDimMax) / kColumns;
  return assay::attention_decode::split_keys(args.keys, blocks_of_part(args), kThreads / key_lanes);
}

std::optional<std::string> unsupported(const assay::Case& c) {
  const DecodeArgs args = decode_args(c);
  if (args.dim <= kDimMax) return std::nullopt;
  return "heads of D=" + std::to_string(args.dim) + " elements: a thread's registers hold its part of " +
         std::to_string(kDimMax);
}

int64_t workspace_bytes(const assay::Case& c) {
  const DecodeArgs args = decode_args(c);
  return args.heads * split_of(args).parts * (2 + args.dim) * int64_t{sizeof(float)};
}

template <class T, int kHeads>
auto kernel_for(int64_t dim) {
  return dim <= kDimMax / 2 ? add_keys<T, kHeads, kDimMax / 2> : add_keys<T, kHeads, kDimMax>;
}

void run(assay::Call& call) {
  const DecodeArgs args = decode_args(call.c());
  const auto [count, keys_of_part] = split_of(args);
  const Parts parts = {.memory = call.workspace<float>(), .parts = count, .dim = args.dim};
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(heads_at_once(args) == 1 ? kernel_for<T, 1>(args.dim) : kernel_for<T, 4>(args.dim),
                  {.grid = dim3(static_cast<unsigned>(blocks_of_part(args)), static_cast<unsigned>(count)),
                   .block = dim3(kThreads)},
                  call.in<T>("q"), call.in<T>("k"), call.in<T>("v"), parts, keys_of_part, args);
    assay::launch(merge_parts<T>, {.grid = dim3(static_cast<unsigned>(args.heads)), .block = dim3(kMergeWarps * kWarp)},
                  parts, call.out<T>("out"), args);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_decode",
                                       .name = "split_keys",
                                       .summary = "keys split over blocks and merged; four heads share a read",
                                       .unsupported = unsupported,
                                       .element_at = decode_element_at,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
