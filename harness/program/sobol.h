// Sobol's quasirandom numbers, by direction numbers of Joe and Kuo ("Constructing Sobol sequences with better
// two-dimensional projections", 2008), for their first dimensions.
#pragma once

#include <array>
#include <cstdint>

namespace assay::program {

inline constexpr unsigned kSobolDimensions = 21;

// The vectors of a dimension, one for each bit of a number.
template <class Word>
using SobolVectors = std::array<Word, sizeof(Word) * 8>;

// A primitive polynomial has its degree, its inner coefficients as bits, and the numbers that its recurrence begins
// with. The first dimension has none.
struct SobolPolynomial {
  unsigned degree, coefficients;
  std::array<unsigned, 7> begin;
};
inline constexpr std::array<SobolPolynomial, kSobolDimensions - 1> kSobolPolynomials{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

template <class Word>
constexpr SobolVectors<Word> sobol_vectors(unsigned dimension) {
  constexpr unsigned kBits = sizeof(Word) * 8;
  SobolVectors<Word> vectors{};
  if (dimension == 0) {
    for (unsigned i = 0; i < kBits; ++i) vectors[i] = Word{1} << (kBits - 1 - i);
    return vectors;
  }
  const SobolPolynomial& polynomial = kSobolPolynomials[dimension - 1];
  const unsigned degree = polynomial.degree;
  for (unsigned i = 0; i < kBits; ++i) {
    if (i < degree) {
      vectors[i] = Word{polynomial.begin[i]} << (kBits - 1 - i);
      continue;
    }
    vectors[i] = vectors[i - degree] ^ vectors[i - degree] >> degree;
    for (unsigned k = 1; k < degree; ++k)
      if ((polynomial.coefficients >> (degree - 1 - k) & 1) != 0) vectors[i] ^= vectors[i - k];
  }
  return vectors;
}

// The number at a place, by its Gray code; the first is 0.
template <class Word>
constexpr Word sobol_number(const SobolVectors<Word>& vectors, uint64_t place) {
  Word number = 0;
  unsigned bit = 0;
  for (uint64_t gray = place ^ place >> 1; gray != 0 && bit < vectors.size(); gray >>= 1, ++bit)
    if ((gray & 1) != 0) number ^= vectors[bit];
  return number;
}

}  // namespace assay::program
