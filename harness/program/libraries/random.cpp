// cuRAND's host API. Whatever pseudorandom generator is asked for, its numbers are those of Philox 4x32-10, by their
// place in the sequence, which a note says; sequences of other generators are not reproduced. Of quasirandom ones
// Sobol's are here, for the first dimensions, and neither scrambled nor by distributions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/program/libraries/blas_handle.h"
#include "harness/program/philox.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/sobol.h"

struct curandGenerator_st {
  bool is_on_host = false;
  unsigned long long seed = 0;
  uint64_t next = 0;        // the place of the next number
  unsigned sobol_bits = 0;  // of a quasirandom number; 0: it makes pseudorandom ones
  unsigned dimensions = 1;  // of the former
  cudaStream_t stream = nullptr;
};

namespace assay::program {
namespace {

constexpr int kMajor = 10, kMinor = 4, kPatch = 0;  // whose interface is implemented

// Which numbers are drawn, so that no two kinds share random bits.
enum Kind : uint64_t { kInteger, kDouble, kNormal, kPoisson };

// Random bits by their place.
class Sequence {
 public:
  explicit Sequence(uint64_t seed) : seed_(seed) {}
  uint32_t at(uint64_t place) { return block(place / 4, kInteger)[place % 4]; }
  // In (0, 1], as cuRAND has it.
  float uniform(uint64_t place) { return static_cast<float>(at(place)) * 0x1p-32f + 0x1p-33f; }
  double uniform_double(uint64_t place, Kind kind = kDouble) {
    const auto& bits = block(place / 2, kind);
    const size_t first = place % 2 * 2;
    return static_cast<double>(static_cast<uint64_t>(bits[first]) << 21 ^ bits[first + 1] >> 11) * 0x1p-53 + 0x1p-54;
  }

 private:
  const std::array<uint32_t, 4>& block(uint64_t counter, Kind kind) {
    if (!has_block_ || counter != counter_ || kind != kind_)
      block_ = philox(counter_ = counter, kind_ = kind, seed_), has_block_ = true;
    return block_;
  }
  uint64_t seed_, counter_ = 0;
  Kind kind_ = kInteger;
  bool has_block_ = false;
  std::array<uint32_t, 4> block_ = {};
};

// Two independent normal numbers of two uniform ones, by Box and Muller; the one of this place.
double normal_at(Sequence& sequence, uint64_t place) {
  constexpr double kTwoPi = 6.283185307179586;
  const uint64_t first = place / 2 * 2;
  const double radius = std::sqrt(-2 * std::log(sequence.uniform_double(first, kNormal)));
  const double angle = kTwoPi * sequence.uniform_double(first + 1, kNormal);
  return radius * (place % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

// How often events of a rate happen. Small rates by products of uniform numbers (Knuth); large ones are split, because
// a sum of Poisson numbers is one, so that no product underflows. Each place has a sequence of its own.
uint32_t poisson_at(uint64_t seed, uint64_t place, double rate) {
  constexpr double kPart = 500;
  uint64_t drawn = 0;
  const auto uniform = [&] {
    const auto bits = philox(drawn++, place * 4 + kPoisson, seed);
    return (static_cast<double>(static_cast<uint64_t>(bits[0]) << 21 ^ bits[1] >> 11) + 0.5) * 0x1p-53;
  };
  uint64_t count = 0;
  for (; rate > 0; rate -= kPart) {
    const double limit = std::exp(-std::min(rate, kPart));
    for (double product = uniform(); product > limit; product *= uniform()) ++count;
  }
  return static_cast<uint32_t>(std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max()));
}

void say_once() {
  static bool is_said = false;
  if (std::exchange(is_said, true)) return;
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.log().note("cuRAND's numbers are those of Philox4_32_10, whichever generator is asked for");
}

// Runs write(), which fills `out`, as the stream has it.
template <class T, class Write>
curandStatus_t written(curandGenerator_t generator, const char* name, T* out, size_t count, Write write) {
  if (generator->is_on_host) {
    write();
    return CURAND_STATUS_SUCCESS;
  }
  const cublasStatus_t status = submit_library(name, generator->stream, [=](GpuProcess& process) {
    const Operand result = vector_operand("the numbers", out, sizeof(T), static_cast<int64_t>(count), 1);
    if (!can_write(process, name, result)) return cudaErrorInvalidValue;
    write();
    wrote(result);
    return cudaSuccess;
  });
  return status == CUBLAS_STATUS_SUCCESS ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// Quasirandom numbers of Word's bits, made(number), one dimension behind the other.
template <class Word, class T, class Made>
curandStatus_t generate_sobol(curandGenerator_t generator, const char* name, T* out, size_t count, Made made) {
  const unsigned dimensions = generator->dimensions;
  if (out == nullptr && count > 0) return CURAND_STATUS_OUT_OF_RANGE;
  if (count % dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  const uint64_t first = generator->next;
  const size_t each = count / dimensions;
  generator->next += each;
  return written(generator, name, out, count, [=] {
    for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
      const SobolVectors<Word> vectors = sobol_vectors<Word>(dimension);
      for (size_t i = 0; i < each; ++i)
        out[dimension * each + i] = static_cast<T>(made(sobol_number(vectors, first + i)));
    }
  });
}
bool is_sobol(curandGenerator_t generator, unsigned bits) {
  return generator != nullptr && generator->sobol_bits == bits;
}

// Writes `count` numbers, made(sequence, place), to the host's or the device's memory. `name`: the call, which lasts.
template <class T, class Made>
curandStatus_t generate(curandGenerator_t generator, const char* name, T* out, size_t count, Made made) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (out == nullptr && count > 0) return CURAND_STATUS_OUT_OF_RANGE;
  if (generator->sobol_bits != 0) return CURAND_STATUS_TYPE_ERROR;
  const uint64_t first = generator->next, seed = generator->seed;
  generator->next += count;
  return written(generator, name, out, count, [=] {
    Sequence sequence(seed);
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<T>(made(sequence, first + i));
  });
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool is_on_host) {
  if (generator == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      say_once();
      *generator = new curandGenerator_st{.is_on_host = is_on_host};
      return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
      *generator = new curandGenerator_st{.is_on_host = is_on_host, .sobol_bits = 32};
      return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_QUASI_SOBOL64:
      *generator = new curandGenerator_st{.is_on_host = is_on_host, .sobol_bits = 64};
      return CURAND_STATUS_SUCCESS;
    default:
      break;  // scrambled numbers, and what is no generator
  }
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  process.log().unsupported("curandCreateGenerator of scrambled quasirandom numbers");
  return CURAND_STATUS_TYPE_ERROR;
}

template <class T>
curandStatus_t generate_normal(curandGenerator_t generator, const char* name, T* out, size_t count, T mean, T deviation,
                               bool is_logarithm) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;  // they come in pairs
  return generate(generator, name, out, count, [=](Sequence& sequence, uint64_t place) {
    const double value = static_cast<double>(mean) + static_cast<double>(deviation) * normal_at(sequence, place);
    return is_logarithm ? std::exp(value) : value;
  });
}

}  // namespace

ASSAY_EXPORTED curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
ASSAY_EXPORTED curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
ASSAY_EXPORTED curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
ASSAY_EXPORTED curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = kMajor * 1000 + kMinor * 100 + kPatch;
  return CURAND_STATUS_SUCCESS;
}
ASSAY_EXPORTED curandStatus_t curandGetProperty(int type, int* value) {
  constexpr int kNumbers[] = {kMajor, kMinor, kPatch};
  if (type < 0 || type > 2 || value == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *value = kNumbers[type];
  return CURAND_STATUS_SUCCESS;
}
ASSAY_EXPORTED curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
ASSAY_EXPORTED curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed, generator->next = 0;
  return CURAND_STATUS_SUCCESS;
}
ASSAY_EXPORTED curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->next = offset;
  return CURAND_STATUS_SUCCESS;
}
// An ordering chooses among sequences of equal worth, of which there is one here.
ASSAY_EXPORTED curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, int ordering) {
  constexpr int kBest = 100, kDynamic = 104;
  constexpr int kQuasi = 201;
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->sobol_bits != 0) return ordering == kQuasi ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
  return ordering < kBest || ordering > kDynamic ? CURAND_STATUS_OUT_OF_RANGE : CURAND_STATUS_SUCCESS;
}
ASSAY_EXPORTED curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

ASSAY_EXPORTED curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                                      unsigned dimensions) {
  constexpr unsigned kMost = 20000;
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->sobol_bits == 0) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > kMost) return CURAND_STATUS_OUT_OF_RANGE;
  if (dimensions > kSobolDimensions) {
    GpuProcess& process = GpuProcess::get();
    const std::lock_guard lock(process.lock());
    process.log().unsupported("curandSetQuasiRandomGeneratorDimensions of more than 21 dimensions");
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  generator->dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}

ASSAY_EXPORTED curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* out,
                                                     size_t count) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_sobol(generator, 64)) return CURAND_STATUS_TYPE_ERROR;
  return generate_sobol<uint64_t>(generator, "curandGenerateLongLong", out, count, [](uint64_t x) { return x; });
}
ASSAY_EXPORTED curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, size_t count) {
  if (is_sobol(generator, 32))
    return generate_sobol<uint32_t>(generator, "curandGenerate", out, count, [](uint32_t x) { return x; });
  return generate(generator, "curandGenerate", out, count,
                  [](Sequence& sequence, uint64_t place) { return sequence.at(place); });
}
ASSAY_EXPORTED curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t count) {
  constexpr auto kIn32 = [](uint32_t x) { return static_cast<float>(x) * 0x1p-32f + 0x1p-33f; };
  constexpr auto kIn64 = [](uint64_t x) { return static_cast<float>(x >> 32) * 0x1p-32f + 0x1p-33f; };
  if (is_sobol(generator, 32)) return generate_sobol<uint32_t>(generator, "curandGenerateUniform", out, count, kIn32);
  if (is_sobol(generator, 64)) return generate_sobol<uint64_t>(generator, "curandGenerateUniform", out, count, kIn64);
  return generate(generator, "curandGenerateUniform", out, count,
                  [](Sequence& sequence, uint64_t place) { return sequence.uniform(place); });
}
ASSAY_EXPORTED curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t count) {
  constexpr auto kIn32 = [](uint32_t x) { return static_cast<double>(x) * 0x1p-32 + 0x1p-33; };
  constexpr auto kIn64 = [](uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54; };
  if (is_sobol(generator, 32))
    return generate_sobol<uint32_t>(generator, "curandGenerateUniformDouble", out, count, kIn32);
  if (is_sobol(generator, 64))
    return generate_sobol<uint64_t>(generator, "curandGenerateUniformDouble", out, count, kIn64);
  return generate(generator, "curandGenerateUniformDouble", out, count,
                  [](Sequence& sequence, uint64_t place) { return sequence.uniform_double(place); });
}
ASSAY_EXPORTED curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t count, float mean,
                                                   float deviation) {
  return generate_normal(generator, "curandGenerateNormal", out, count, mean, deviation, false);
}
ASSAY_EXPORTED curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t count,
                                                         double mean, double deviation) {
  return generate_normal(generator, "curandGenerateNormalDouble", out, count, mean, deviation, false);
}
ASSAY_EXPORTED curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t count, float mean,
                                                      float deviation) {
  return generate_normal(generator, "curandGenerateLogNormal", out, count, mean, deviation, true);
}
ASSAY_EXPORTED curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t count,
                                                            double mean, double deviation) {
  return generate_normal(generator, "curandGenerateLogNormalDouble", out, count, mean, deviation, true);
}
ASSAY_EXPORTED curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, size_t count,
                                                    double rate) {
  constexpr double kRateMax = 400000;
  if (!(rate > 0) || rate > kRateMax) return CURAND_STATUS_OUT_OF_RANGE;
  const uint64_t seed = generator == nullptr ? 0 : generator->seed;
  return generate(generator, "curandGeneratePoisson", out, count,
                  [=](Sequence&, uint64_t place) { return poisson_at(seed, place, rate); });
}

}  // namespace assay::program
