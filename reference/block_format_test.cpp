// The block formats against a decoder of its own kind, written from GGML's layouts block by block in f32, against
// blocks that GGML's library made, and quantisers against what is right of them by hand.
#include "reference/block_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "harness/base/rng.h"
#include "reference/block_decisions.h"
#include "reference/block_pack.h"
#include "reference/test_block_decoder.h"

namespace assay::reference {
namespace {

using Bytes = std::vector<uint8_t>;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double as_f32(double value) { return to_double(DType::f32, from_double(DType::f32, value)); }

void expect_same_block(const BlockFormat& format, const Bytes& block, int64_t first = 0, int64_t step = 1) {
  std::vector<float> want(static_cast<size_t>(format.elements));
  decode_other(format, block.data(), want.data());
  for (int64_t i = first; i < format.elements; i += step)
    ASSERT_TRUE(same(as_f32(decode(format, block, i)), static_cast<double>(want[static_cast<size_t>(i)])))
        << format.name << " element " << i << ": " << decode(format, block, i) << ", " << want[static_cast<size_t>(i)];
}

Bytes random_bytes(int64_t count, Rng& rng) {
  Bytes bytes(static_cast<size_t>(count));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.next());
  return bytes;
}

// One test for all formats: processes cost more than what they test.
template <class Check>
void for_every_format(Check check) {
  for (const BlockFormat& format : kBlockFormats) {
    SCOPED_TRACE(format.name);
    check(format);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// All 2^16 patterns of d; m is another one in each. A block of 32 has every code of 4 bits in both halves; those of 5
// and 8 bits take several blocks to have all, and larger blocks random ones.
TEST(EveryFormat, DecodesEveryScaleAsTheOtherDecoderDoes) {
  for_every_format([](const BlockFormat& format) {
    const bool large = format.elements == 256;
    Rng rng = Rng::stream(3, std::string(format.name));
    Bytes block = random_bytes(format.bytes, rng);
    const auto d_at = static_cast<size_t>(format == kQ6_K ? 208 : format == kQ8_K ? 2 : 0);
    for (uint32_t pattern = 0; pattern < 65536 && !testing::Test::HasFatalFailure(); ++pattern) {
      const bool has_all_codes = format == kQ4_0 || format == kQ4_1;
      if (!has_all_codes && (!large || pattern % 16 == 0)) block = random_bytes(format.bytes, rng);
      for (size_t j = 0; has_all_codes && j < 16; ++j)
        block[block.size() - 16 + j] = static_cast<uint8_t>(j * 16 + (j + pattern) % 16);
      put_little_end(block, d_at, 2, pattern);
      if (format.has_offset) put_little_end(block, 2, 2, pattern * 40503);
      expect_same_block(format, block, large ? pattern % 37 : 0, large ? 37 : 1);
    }
  });
}

// Every code in every element, every factor of every group, under a few scales.
TEST(EveryFormat, DecodesEveryCodeAsTheOtherDecoderDoes) {
  for_every_format([](const BlockFormat& format) {
    for (const double d : {1.0, -0.37, 0x1p-24})
      for (int byte = 0; byte < 256 && !testing::Test::HasFatalFailure(); ++byte) {
        Bytes block(static_cast<size_t>(format.bytes), static_cast<uint8_t>(byte));
        for (size_t i = 1; i < block.size(); i += 2) block[i] = static_cast<uint8_t>(byte * 7 + 3);
        const auto d_at = static_cast<size_t>(format == kQ6_K ? 208 : 0);
        if (format == kQ8_K)
          put_little_end(block, 0, 4, from_double(DType::f32, d));
        else
          put_f16(block, d_at, d);
        if (format.has_offset) put_f16(block, 2, 0.11);
        expect_same_block(format, block);
      }
  });
}

// -- Blocks of GGML's library.

struct Line {
  BlockFormat format;
  Bytes block;
  std::vector<double> elements, values;
};

std::vector<double> floats(const std::string& text) {
  std::istringstream words(text);
  std::vector<double> values;
  for (std::string word; words >> word;)
    values.push_back(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(std::stoul(word, nullptr, 16)))));
  return values;
}

std::vector<Line> library_blocks() {
  std::ifstream file(ASSAY_SOURCE_DIR "/reference/testdata/gguf_blocks.txt");
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("#")) continue;
    std::istringstream fields(text);
    std::string head, elements, values, name, hex;
    std::getline(fields, head, '|');
    std::getline(fields, elements, '|');
    std::getline(fields, values, '|');
    std::istringstream(head) >> name >> hex;
    Line line{block_format(name), {}, floats(elements), floats(values)};
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
      line.block.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    lines.push_back(line);
  }
  return lines;
}

TEST(LibraryBlocks, DecodeToTheLibrarysValues) {
  const std::vector<Line> lines = library_blocks();
  ASSERT_EQ(lines.size(), 8U);
  for (const Line& line : lines) {
    ASSERT_EQ(std::ssize(line.block), line.format.bytes);
    ASSERT_EQ(std::ssize(line.values), line.format.elements);
    for (int64_t i = 0; i < line.format.elements; ++i)
      EXPECT_EQ(as_f32(decode(line.format, line.block, i)), line.values[static_cast<size_t>(i)]) << line.format.name;
  }
}

TEST(LibraryBlocks, AreRightForTheirElements) {
  int64_t blocks = 0;
  for (const Line& line : library_blocks()) {
    if (line.elements.empty()) continue;
    ++blocks;
    const Followed right = followed(line.format, line.elements, line.block);
    EXPECT_EQ(right.block, line.block) << line.format.name;
    EXPECT_LE(right.decisions, 1) << line.format.name;
  }
  EXPECT_EQ(blocks, 6);
}

// -- Quantisers.

bool has_quantiser(const BlockFormat& format) { return format != kQ4_K && format != kQ6_K; }

Bytes quantised(const BlockFormat& format, const std::vector<double>& x) {
  Bytes block(static_cast<size_t>(format.bytes));
  quantise(format, x, block);
  return block;
}

std::vector<double> elements(const BlockFormat& format, std::function<double(int64_t)> element) {
  std::vector<double> x;
  for (int64_t i = 0; i < format.elements; ++i) x.push_back(as_f32(element(i)));
  return x;
}

TEST(EveryFormat, ReadsBackTheCodesThatArePut) {
  for_every_format([](const BlockFormat& format) {
    if (!has_quantiser(format)) return;
    const CodeRange range = code_range(format);
    for (int code = range.least; code <= range.largest; ++code) {
      Bytes block(static_cast<size_t>(format.bytes), 0xFF);
      for (int64_t i = 0; i < format.elements; ++i) put_code(format, block, i, i % 3 == 0 ? range.largest : code);
      for (int64_t i = 0; i < format.elements; ++i)
        ASSERT_EQ(code_of(format, block, i), i % 3 == 0 ? range.largest : code) << format.name << " element " << i;
    }
  });
}

// Packed data is within the steps of its format; the plain packers of Q4_K and Q6_K are good to two steps of 15 or 64.
TEST(EveryFormat, PacksDataNearly) {
  for_every_format([](const BlockFormat& format) {
    Rng rng = Rng::stream(4, std::string(format.name));
    const auto x = elements(format, [&](int64_t) { return static_cast<double>(rng.between(-1000, 1000)) / 500; });
    Bytes block(static_cast<size_t>(format.bytes));
    pack(format, x, block);
    const double step = format == kQ4_K || format.name.starts_with("q4") ? 0.28
                        : format.name.starts_with("q8")                  ? 0.017
                                                                         : 0.14;
    for (int64_t i = 0; i < format.elements; ++i)
      EXPECT_NEAR(decode(format, block, i), x[static_cast<size_t>(i)], step) << format.name << " element " << i;
  });
}

TEST(EveryFormat, AnElementThatIsNoNumberLeavesNoneInItsBlock) {
  for_every_format([](const BlockFormat& format) {
    for (const double odd : {std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
      auto x = elements(format, [](int64_t i) { return static_cast<double>(i % 7) - 3; });
      x[5] = odd;
      Bytes block(static_cast<size_t>(format.bytes));
      pack(format, x, block);
      EXPECT_TRUE(is_all_nonfinite(format, block)) << format.name;
    }
  });
}

TEST(Quantise, BlocksOfZerosAreTheDocumentedBytes) {
  for (const BlockFormat& format : kBlockFormats) {
    if (!has_quantiser(format)) continue;
    Bytes want(static_cast<size_t>(format.bytes), 0);
    if (format == kQ4_0) std::fill(want.begin() + 2, want.end(), uint8_t{0x88});
    if (format == kQ5_0) std::fill(want.begin() + 2, want.begin() + 6, uint8_t{0xFF});
    Bytes got = quantised(format, elements(format, [](int64_t) { return 0; }));
    if (format == kQ4_0 || format == kQ5_0) got[1] &= 0x7F;  // either sign
    if (format == kQ8_K) got[3] &= 0x7F;
    EXPECT_EQ(got, want) << format.name;
  }
}

// Elements whose largest two differ in sign only, with others on no threshold.
std::vector<double> with_two_largest(const BlockFormat& format) {
  auto x = elements(format, [](int64_t i) { return 0.1 * static_cast<double>(i % 8); });
  x[3] = 2, x[17] = -2;
  return x;
}

TEST(Decisions, OfExactArithmeticAreNotCounted) {
  for (const BlockFormat& format : kBlockFormats) {
    if (!has_quantiser(format)) continue;
    const auto x = with_two_largest(format);
    const Followed right = followed(format, x, quantised(format, x));
    EXPECT_EQ(right.block, quantised(format, x)) << format.name;
    EXPECT_EQ(right.decisions, 0) << format.name;
  }
}

TEST(Decisions, EitherSignOfTheLargestMayDecide) {
  for (const BlockFormat& format : {kQ4_0, kQ5_0, kQ8_K}) {
    const auto x = with_two_largest(format);
    auto other = x;
    std::swap(other[3], other[17]);  // the negative one is first: it decides here
    Bytes block = quantised(format, other);
    for (const int64_t i : {3, 17}) {  // back to where they belong
      const int64_t from = i == 3 ? 17 : 3;
      put_code(format, block, i, code_of(format, quantised(format, other), from));
    }
    if (format == kQ8_K) put_sums(block);
    const Followed right = followed(format, x, block);
    EXPECT_EQ(right.block, block) << format.name;
    EXPECT_EQ(right.decisions, 1) << format.name;
  }
}

// A quotient on a threshold, and one a hundredth away from it.
TEST(Decisions, OnAThresholdEitherCodeIsRightAndBesideItOne) {
  for (const BlockFormat& format : kBlockFormats) {
    if (!has_quantiser(format)) continue;
    const CodeRange range = code_range(format);
    const double d = 0.25;
    auto x = elements(format, [](int64_t) { return 0; });
    x[0] = format.zero > 0 ? -d * format.zero : d * range.largest;  // makes d the scale, of Q8_K -d
    x[1] = 2.5 * d, x[2] = 2.51 * d;
    const Bytes exact = quantised(format, x);
    for (const int i : {1, 2})
      for (const int step : {-1, 1}) {
        Bytes block = exact;
        put_code(format, block, i, code_of(format, exact, i) + step);
        if (format == kQ8_K) put_sums(block);
        const Followed right = followed(format, x, block);
        const bool is_tie = i == 1 && step == -1;  // exact arithmetic rounds up
        EXPECT_EQ(right.block == block, is_tie) << format.name << " element " << i << " step " << step;
        EXPECT_EQ(right.decisions, is_tie ? 1 : 0) << format.name;
      }
  }
}

TEST(Decisions, AScaleMayBeTheNeighbourOnlyWhereItsRoundingIsClose) {
  auto x = elements(kQ4_0, [](int64_t i) { return static_cast<double>(i % 5); });
  const auto taken = [&](double largest) {
    x[0] = largest;
    Bytes block = quantised(kQ4_0, x);
    block[0] = static_cast<uint8_t>(block[0] ^ 1);  // one f16 further
    const Followed right = followed(kQ4_0, x, block);
    return right.block == block;
  };
  EXPECT_TRUE(taken(-8 * (1 + 0x1p-11)));  // halfway between two f16
  EXPECT_TRUE(taken(as_f32(-8 * (1 + 0x1p-11 + 0x1p-23))));
  EXPECT_FALSE(taken(-8 * (1 + 0x1p-12)));
}

}  // namespace
}  // namespace assay::reference
