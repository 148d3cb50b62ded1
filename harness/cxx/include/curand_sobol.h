// Sobol's quasirandom numbers in kernels, of 32 and 64 bits and unscrambled, by direction vectors that the program
// brings.
#pragma once

#include "harness/cxx/include/curand.h"

namespace assay::cxx {

// A number is the exclusive or of the vectors of its place's Gray code; the next differs by one vector.
template <class Word>
struct SobolState {
  Word place, number;
  Word vectors[sizeof(Word) * 8];

  __device__ inline void move_to(Word to) {
    place = to;
    number = 0;
    Word gray = to ^ (to >> 1);
    for (unsigned bit = 0; gray != 0; gray >>= 1, ++bit)
      if ((gray & 1) != 0) number ^= vectors[bit];
  }
  __device__ inline Word next() {
    const Word result = number;
    const unsigned zero = ~place == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(~place));
    number ^= vectors[zero];
    ++place;
    return result;
  }
};

}  // namespace assay::cxx

struct curandStateSobol32 : ::assay::cxx::SobolState<unsigned> {};
struct curandStateSobol64 : ::assay::cxx::SobolState<unsigned long long> {};
using curandStateSobol32_t = curandStateSobol32;
using curandStateSobol64_t = curandStateSobol64;

__device__ inline void curand_init(unsigned* vectors, unsigned offset, curandStateSobol32* state) {
  for (unsigned i = 0; i < 32; ++i) state->vectors[i] = vectors[i];
  state->move_to(offset);
}
__device__ inline void curand_init(unsigned long long* vectors, unsigned long long offset, curandStateSobol64* state) {
  for (unsigned i = 0; i < 64; ++i) state->vectors[i] = vectors[i];
  state->move_to(offset);
}
__device__ inline void skipahead(unsigned count, curandStateSobol32* state) { state->move_to(state->place + count); }
__device__ inline void skipahead(unsigned long long count, curandStateSobol64* state) {
  state->move_to(state->place + count);
}
__device__ inline unsigned curand(curandStateSobol32* state) { return state->next(); }
__device__ inline unsigned long long curand(curandStateSobol64* state) { return state->next(); }
// In (0, 1].
__device__ inline float curand_uniform(curandStateSobol32* state) {
  return static_cast<float>(curand(state)) * 0x1p-32f + 0x1p-33f;
}
__device__ inline double curand_uniform_double(curandStateSobol32* state) {
  return static_cast<double>(curand(state)) * 0x1p-32 + 0x1p-33;
}
__device__ inline float curand_uniform(curandStateSobol64* state) {
  return static_cast<float>(curand(state) >> 32) * 0x1p-32f + 0x1p-33f;
}
__device__ inline double curand_uniform_double(curandStateSobol64* state) {
  return static_cast<double>(curand(state) >> 11) * 0x1p-53 + 0x1p-54;
}
