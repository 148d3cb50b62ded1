// cuRAND in kernels: pseudorandom numbers by a state for each thread. As for cuRAND's host API
// (../../program/libraries/random.cpp), they are Philox's whichever generator is asked for. Quasirandom numbers stand
// in curand_sobol.h.
#pragma once

#include <math.h>

#include "harness/cxx/include/curand.h"
#include "harness/cxx/include/curand_sobol.h"
#include "harness/program/philox.h"

#if defined(ASSAY_CXX_HOST)
#pragma message("numbers of cuRAND in kernels are those of Philox4_32_10, whichever generator is asked for")
#endif

struct curandStatePhilox4_32_10 {
  unsigned long long key, place, sequence;  // the place counts numbers of 32 bits
  double second;                            // the other of two normal numbers
  bool has_second;
};
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
using curandState = curandStatePhilox4_32_10;
using curandState_t = curandStatePhilox4_32_10;
using curandStateXORWOW = curandStatePhilox4_32_10;
using curandStateXORWOW_t = curandStatePhilox4_32_10;
using curandStateMRG32k3a = curandStatePhilox4_32_10;
using curandStateMRG32k3a_t = curandStatePhilox4_32_10;

__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandState* state) {
  *state = {seed, offset, subsequence, 0, false};
}
__device__ inline void skipahead(unsigned long long count, curandState* state) { state->place += count; }
__device__ inline void skipahead_sequence(unsigned long long count, curandState* state) { state->sequence += count; }

__device__ inline unsigned curand(curandState* state) {
  const unsigned long long place = state->place++;
  return ::assay::program::philox(place / 4, state->sequence, state->key)[place % 4];
}
__device__ inline uint4 curand4(curandState* state) {
  const unsigned x = curand(state), y = curand(state), z = curand(state);
  return {x, y, z, curand(state)};
}

// In (0, 1].
__device__ inline float curand_uniform(curandState* state) {
  return static_cast<float>(curand(state)) * 0x1p-32f + 0x1p-33f;
}
__device__ inline double curand_uniform_double(curandState* state) {
  const unsigned long long low = curand(state), high = curand(state);
  return static_cast<double>(low ^ (high << 21)) * 0x1p-53 + 0x1p-54;
}
__device__ inline float4 curand_uniform4(curandState* state) {
  const float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state);
  return {x, y, z, curand_uniform(state)};
}
__device__ inline double2 curand_uniform2_double(curandState* state) {
  const double x = curand_uniform_double(state);
  return {x, curand_uniform_double(state)};
}

// Two of each pair of uniform numbers, by Box and Muller.
__device__ inline double curand_normal_double(curandState* state) {
  if (state->has_second) {
    state->has_second = false;
    return state->second;
  }
  const double radius = sqrt(-2 * log(curand_uniform_double(state)));
  const double angle = 6.283185307179586 * curand_uniform_double(state);
  state->second = radius * cos(angle);
  state->has_second = true;
  return radius * sin(angle);
}
__device__ inline float curand_normal(curandState* state) { return static_cast<float>(curand_normal_double(state)); }
__device__ inline float2 curand_normal2(curandState* state) {
  const float x = curand_normal(state);
  return {x, curand_normal(state)};
}
__device__ inline double2 curand_normal2_double(curandState* state) {
  const double x = curand_normal_double(state);
  return {x, curand_normal_double(state)};
}
__device__ inline float4 curand_normal4(curandState* state) {
  const float2 first = curand_normal2(state), second = curand_normal2(state);
  return {first.x, first.y, second.x, second.y};
}
__device__ inline float curand_log_normal(curandState* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
__device__ inline double curand_log_normal_double(curandState* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
// How often events of this rate happen, by the times between them.
__device__ inline unsigned curand_poisson(curandState* state, double rate) {
  unsigned count = 0;
  for (double time = -log(curand_uniform_double(state)); time < rate; time -= log(curand_uniform_double(state)))
    ++count;
  return count;
}
