// The parts that planted attention kernels share that keep a query in shared memory, in chunks of its elements: the
// keys come in tiles, and where a query has several chunks each tile needs all of them again.
#pragma once

#include "harness/selftest/attention.cuh"

namespace assay::selftest {

constexpr int kChunk = 64, kTileKeys = 32, kBlockMax = 64;

// stays: whether the query's only chunk is in shared memory after the first tile.
__device__ inline void chunked_attention(const Attention& t, bool stays) {
  __shared__ float chunks[kBlockMax][kChunk + 1];  // each thread has its own: no barrier
  int64_t row;
  if (!own_row(t, row)) return;
  AttentionRow query(t, row);
  float* const chunk = chunks[threadIdx.x];
  const float* const elements = t.q + t.a.q.at(query.b, query.i, query.h);
  const int64_t visible = t.a.visible(query.i);
  for (int64_t tile = 0; tile < visible; tile += kTileKeys) {
    const int64_t end = tile + kTileKeys < visible ? tile + kTileKeys : visible;
    float scores[kTileKeys] = {};
    for (int64_t first = 0; first < t.a.dim; first += kChunk) {
      const int64_t lanes = t.a.dim - first < kChunk ? t.a.dim - first : kChunk;
      if (tile == 0 || !stays)
        for (int64_t d = 0; d < lanes; ++d) chunk[d] = elements[first + d];
      for (int64_t j = tile; j < end; ++j) {
        const float* const key = t.k + t.a.kv.at(query.b, j, query.kv_head) + first;
        for (int64_t d = 0; d < lanes; ++d) scores[j - tile] += chunk[d] * key[d];
      }
    }
    for (int64_t j = tile; j < end; ++j) query.add(j, scores[j - tile] * t.a.scale);
  }
  query.finish();
}

}  // namespace assay::selftest
