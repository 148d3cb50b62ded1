// Philox 4x32-10: random numbers by counter and key (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
#pragma once

#include <array>
#include <cstdint>

namespace assay::program {

// Four numbers, of a counter of 128 bits and a key of 64.
inline std::array<uint32_t, 4> philox(uint64_t counter_low, uint64_t counter_high, uint64_t key) {
  constexpr uint64_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;
  constexpr uint32_t kKeyStep0 = 0x9E3779B9, kKeyStep1 = 0xBB67AE85;
  constexpr int kRounds = 10;
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  std::array<uint32_t, 4> c = {low(counter_low), high(counter_low), low(counter_high), high(counter_high)};
  uint32_t key0 = low(key), key1 = high(key);
  for (int round = 0; round < kRounds; ++round, key0 += kKeyStep0, key1 += kKeyStep1) {
    const uint64_t first = kFirst * c[0], second = kSecond * c[2];
    c = {high(second) ^ c[1] ^ key0, low(second), high(first) ^ c[3] ^ key1, low(first)};
  }
  return c;
}

}  // namespace assay::program
