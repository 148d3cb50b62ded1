// Random values of one element alone: SplitMix64's state is a counter, so what the generator gives at any place of its
// stream needs nothing that came before. Parts of a tensor are made by several threads, of a CPU or of a GPU, and have
// the bits that one thread would give them in order.
#pragma once

#include <bit>
#include <cstdint>

#include "harness/base/rng.h"

namespace assay {

inline constexpr uint64_t kCounterStep = 0x9e3779b97f4a7c15u;  // of Rng::next()

// The state of a generator, for a GPU, which is given no Rng.
inline uint64_t counter_of(const Rng& rng) {
  static_assert(sizeof(Rng) == sizeof(uint64_t), "its state is one number, and nothing else");
  return std::bit_cast<uint64_t>(rng);
}

// The generator as it is after `draws` calls of next().
inline Rng skipped(const Rng& rng, uint64_t draws) { return Rng(counter_of(rng) + draws * kCounterStep); }

// How many draws a standard normal value takes.
inline constexpr int kNormalDraws = 12;

// Value i of those that normal() gives in a row, from a generator that stands at `counter`: the sum of twelve uniforms
// of 44 bits less six (Irwin–Hall), exact in a double.
constexpr double normal_at(uint64_t counter, uint64_t i) {
  uint64_t state = counter + i * kNormalDraws * kCounterStep;
  uint64_t sum = 0;
  for (int draw = 0; draw < kNormalDraws; ++draw) sum += Rng::mix(state += kCounterStep) >> 20;
  return static_cast<double>(sum) * 0x1p-44 - 6.0;
}

}  // namespace assay
