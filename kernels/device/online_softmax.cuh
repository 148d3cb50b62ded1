// Softmax-weighted sums over tiles of keys, as a thread of a tiled attention kernel keeps them.
//
// The softmax of a row of scores is built up tile by tile: with m the largest score so far, a row holds
//   l = sum_j exp(s_j - m)   and   out = sum_j exp(s_j - m) v_j,
// and both are multiplied by exp(m - m') when a tile brings a larger maximum m' (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022). In the end out / l is the weighted
// mean and m + ln l the log-sum-exp.
//
// 16 neighbouring threads share 4 rows, so a warp has 8 rows and nobody else sees them. A score of -inf is a pair that
// is removed: it adds nothing, whatever its value holds. That is not the same as a weight of 0, which times a NaN is
// NaN.
#pragma once

#include "kernels/device/shared_tile.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

constexpr int kRowLanes = 16;   // threads that share a row
constexpr int kThreadRows = 4;  // rows of a thread
constexpr int kWarpRows = 32 / kRowLanes * kThreadRows;
constexpr int kTileKeys = 32;                       // keys of a tile
constexpr int kThreadKeys = kTileKeys / kRowLanes;  // a thread has keys lane, lane + 16
constexpr int kWeightStride = kTileKeys + Pack<float>::kWidth;
constexpr float kRemoved = -1;  // in place of a weight, which is never negative

// kTiles: tiles of 64 columns of the values. A thread has columns 4·lane … 4·lane + 3 of each.
template <int kTiles>
struct OnlineSoftmax {
  float maximum[kThreadRows], total[kThreadRows];  // total: of this thread's keys only
  float out[kTiles][kThreadRows][4];

  __device__ void clear() {
    for (int r = 0; r < kThreadRows; ++r) {
      maximum[r] = -INFINITY;
      total[r] = 0;
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
        for (float& element : out[t][r]) element = 0;
    }
  }

  // Takes in a tile's scores and leaves their weights, exp(score - maximum), in shared memory for the warp. weights: of
  // this thread's rows, from its first key on. Returns whether a pair of the warp is removed.
  __device__ bool add_scores(const float (&scores)[kThreadRows][kThreadKeys], float* weights) {
    bool removed = false;
    for (int r = 0; r < kThreadRows; ++r) {
      float largest = maximum[r];
      for (const float score : scores[r]) largest = Larger()(largest, score);
      largest = group_reduce<kRowLanes>(largest, Larger());
      // This is done only then, because exp(-inf - -inf) would be NaN as long as every key is removed.
      if (largest != maximum[r]) rescale(r, expf(maximum[r] - largest));
      maximum[r] = largest;
      for (int n = 0; n < kThreadKeys; ++n) {
        float weight = kRemoved;
        if (scores[r][n] == -INFINITY)
          removed = true;
        else
          total[r] += weight = expf(scores[r][n] - largest);
        weights[r * kWeightStride + n * kRowLanes] = weight;
      }
    }
    __syncwarp();
    return __any_sync(kAllLanes, removed);
  }

  // Adds weight times value over `keys` keys to tile t of the columns. some_removed: what add_scores() returned.
  // weights: of this thread's rows; values: from its first column on.
  __device__ void add_values(int t, bool some_removed, const float* weights, const float* values, int keys) {
    if (some_removed)
      add_values<true>(out[t], weights, values, keys);
    else
      add_values<false>(out[t], weights, values, keys);
  }

  // Divides the sums by the totals of their whole rows, which it leaves in `total`; rows without a key are 0. Then
  // maximum + ln total is the log-sum-exp of a row's scores, -inf without a key.
  __device__ void normalise() {
    for (int r = 0; r < kThreadRows; ++r) {
      total[r] = group_reduce<kRowLanes>(total[r], Add());
      const float divisor = total[r] == 0 ? 1 : total[r];
#pragma unroll
      for (int t = 0; t < kTiles; ++t)
        for (float& element : out[t][r]) element /= divisor;
    }
  }

 private:
  __device__ void rescale(int r, float factor) {
    total[r] *= factor;
#pragma unroll
    for (int t = 0; t < kTiles; ++t)
      for (float& element : out[t][r]) element *= factor;
  }

  template <bool kSomeRemoved>
  __device__ static void add_values(float (&sums)[kThreadRows][4], const float* weights, const float* values,
                                    int keys) {
    for (int j = 0; j < keys; j += 4) {
      Pack<float> weight[kThreadRows];
      for (int r = 0; r < kThreadRows; ++r) weight[r] = pack_at(weights + r * kWeightStride + j);
      for (int n = 0; n < 4; ++n) {
        const Pack<float> value = pack_at(values + (j + n) * kTileStride);
        for (int r = 0; r < kThreadRows; ++r) {
          if (kSomeRemoved && weight[r].values[n] == kRemoved) continue;
          for (int i = 0; i < 4; ++i) sums[r][i] += weight[r].values[n] * value.values[i];
        }
      }
    }
  }
};

}  // namespace assay::device
