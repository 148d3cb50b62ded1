// Seeded random numbers with named streams, the same on every machine and library: the order of blocks, warps and lanes
// comes from them, and in the harness (base/rng.h) every random choice.
//
// SplitMix64 (Steele, Lea, Flood 2014): one add and three xor-multiply steps, no state beyond 64 bits, so a stream for
// each (seed, tensor) costs nothing. No std::*_distribution: their results differ between standard libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::simt {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  // An independent stream for `name` under `seed`: FNV-1a of the name, mixed with the seed.
  static Rng stream(uint64_t seed, std::string_view name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    Rng rng(hash);
    return Rng(rng.next() ^ mix(seed + 0x9e3779b97f4a7c15u));
  }

  uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [0, bound), bound >= 1; the bias of the multiply-shift is below 2^-32 for the bounds used here.
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  // Uniform in [low, high], both included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
  }

  static constexpr uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace assay::simt
