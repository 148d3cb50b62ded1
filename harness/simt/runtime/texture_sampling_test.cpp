// Tests which texels a fetch takes, with which weights, and what texels are worth, against the Programming Guide.
#include "harness/simt/runtime/texture_sampling.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace assay::simt {
namespace {

constexpr auto kWrap = AddressMode::wrap, kClamp = AddressMode::clamp, kMirror = AddressMode::mirror,
               kBorder = AddressMode::border;
constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

void expect_addresses(AddressMode mode, std::initializer_list<int32_t> wanted) {  // of the indices from -4 on, of 3
  int64_t index = -4;
  for (const int32_t each : wanted) {
    EXPECT_EQ(addressed(index, 3, mode), each) << "index " << index;
    ++index;
  }
}

TEST(TextureSampling, IndicesOutsideFollowTheAddressMode) {
  expect_addresses(kWrap, {2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
  expect_addresses(kClamp, {0, 0, 0, 0, 0, 1, 2, 2, 2, 2});
  expect_addresses(kMirror, {2, 2, 1, 0, 0, 1, 2, 2, 1, 0});
  expect_addresses(kBorder, {-1, -1, -1, -1, 0, 1, 2, -1, -1, -1});
}

int32_t nearest(float at, AddressMode mode, bool is_normalised) {
  return taps_of(at, 4, mode, false, is_normalised).first;
}

TEST(TextureSampling, PointsTakeTheTexelThatHoldsTheCoordinate) {
  EXPECT_EQ(nearest(0, kClamp, false), 0);
  EXPECT_EQ(nearest(0.99F, kClamp, false), 0);
  EXPECT_EQ(nearest(1, kClamp, false), 1);
  EXPECT_EQ(nearest(-0.01F, kClamp, false), 0);
  EXPECT_EQ(nearest(4, kClamp, false), 3);
  EXPECT_EQ(nearest(-0.01F, kBorder, false), kBorderTexel);
  EXPECT_EQ(nearest(0.25F, kWrap, true), 1);
  EXPECT_EQ(nearest(-0.25F, kWrap, true), 3);
  EXPECT_EQ(nearest(1.25F, kWrap, true), 1);
  EXPECT_EQ(nearest(-0.1F, kMirror, true), 0);
  EXPECT_EQ(nearest(1.3F, kMirror, true), 2);
}

TEST(TextureSampling, WrapAndMirrorAreClampWhereCoordinatesAreNotNormalised) {
  for (const AddressMode mode : {kWrap, kMirror}) {
    EXPECT_EQ(nearest(5.5F, mode, false), 3);
    EXPECT_EQ(nearest(-2, mode, false), 0);
  }
}

TEST(TextureSampling, CoordinatesThatAreNoPlacesGiveATexelAllTheSame) {
  for (const AddressMode mode : {kWrap, kClamp, kMirror})
    for (const float each : {kInfinity, -kInfinity, kNan, 1e30F, -1e30F}) {
      const Taps taps = taps_of(each, 4, mode, true, true);
      EXPECT_TRUE(taps.first >= 0 && taps.first < 4 && taps.second >= 0 && taps.second < 4) << each;
    }
  EXPECT_EQ(nearest(kInfinity, kClamp, false), 3);
  EXPECT_EQ(nearest(-kInfinity, kBorder, false), kBorderTexel);
}

void expect_taps(const Taps& taps, int32_t first, int32_t second, uint32_t weight) {
  EXPECT_EQ(taps.first, first);
  EXPECT_EQ(taps.second, second);
  EXPECT_EQ(taps.weight, weight);
}

TEST(TextureSampling, LinearFiltersWeighByTheFractionOfEightBits) {
  expect_taps(taps_of(1.5F, 4, kClamp, true, false), 1, 2, 0);
  expect_taps(taps_of(1.75F, 4, kClamp, true, false), 1, 2, 64);
  expect_taps(taps_of(2, 4, kClamp, true, false), 1, 2, 128);
  expect_taps(taps_of(0, 4, kClamp, true, false), 0, 0, 128);
  expect_taps(taps_of(0, 4, kBorder, true, false), kBorderTexel, 0, 128);
  expect_taps(taps_of(0, 4, kWrap, true, true), 3, 0, 128);
  expect_taps(taps_of(0, 4, kMirror, true, true), 0, 0, 128);
  expect_taps(taps_of(1.5F + 0.4F / 256, 4, kClamp, true, false), 1, 2, 0);  // to the nearest 256th
  expect_taps(taps_of(1.5F + 0.6F / 256, 4, kClamp, true, false), 1, 2, 1);
  expect_taps(taps_of(2.5F - 0.4F / 256, 4, kClamp, true, false), 2, 3, 0);
}

TEST(TextureSampling, DirectionsOfACubeFindTheFaceOfTheirLargestCoordinate) {
  const auto expect_place = [](float x, float y, float z, uint32_t face, float at_x, float at_y) {
    const CubePlace place = cube_place(x, y, z);
    EXPECT_EQ(place.face, face) << x << " " << y << " " << z;
    EXPECT_EQ(place.x, at_x);
    EXPECT_EQ(place.y, at_y);
  };
  expect_place(2, 1, -1, 0, 0.75F, 0.25F);
  expect_place(-2, 1, 1, 1, 0.75F, 0.25F);
  expect_place(1, 2, -1, 2, 0.75F, 0.25F);
  expect_place(1, -2, 1, 3, 0.75F, 0.25F);
  expect_place(1, 1, 2, 4, 0.75F, 0.25F);
  expect_place(-1, 1, -2, 5, 0.75F, 0.25F);
  expect_place(1, 1, 1, 4, 1, 0);  // two that are equal: the later face
}

Texture texture_with(Channels channels, uint8_t bits, uint8_t count, bool reads_normalised) {
  Texture texture;
  texture.image.channels = channels;
  texture.image.channel_bits = bits;
  texture.image.channel_count = count;
  texture.reads_normalised = reads_normalised;
  return texture;
}

template <class T>
std::array<uint32_t, 4> value_of(const Texture& texture, std::initializer_list<T> texel) {
  return texel_value(texture, reinterpret_cast<const std::byte*>(texel.begin()));
}
float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(TextureSampling, IntegersAreWidenedToThirtyTwoBits) {
  const auto bytes = texture_with(Channels::signed_integers, 8, 4, false);
  EXPECT_EQ(value_of<int8_t>(bytes, {-1, 127, -128, 5}), (std::array<uint32_t, 4>{0xffffffff, 127, 0xffffff80, 5}));
  const auto words = texture_with(Channels::unsigned_integers, 16, 2, false);
  EXPECT_EQ(value_of<uint16_t>(words, {0xffff, 7}), (std::array<uint32_t, 4>{0xffff, 7, 0, 1}));
}

TEST(TextureSampling, NormalisedIntegersReachBothEndsOfTheirRange) {
  const auto bytes = value_of<uint8_t>(texture_with(Channels::unsigned_integers, 8, 4, true), {0, 51, 128, 255});
  EXPECT_EQ(as_float(bytes[0]), 0);
  EXPECT_EQ(as_float(bytes[1]), 0.2F);
  EXPECT_EQ(as_float(bytes[2]), 128 / 255.0F);
  EXPECT_EQ(as_float(bytes[3]), 1);
  const auto words =
      value_of<int16_t>(texture_with(Channels::signed_integers, 16, 4, true), {-32768, -32767, 32767, 0});
  EXPECT_EQ(as_float(words[0]), -1);
  EXPECT_EQ(as_float(words[1]), -1);
  EXPECT_EQ(as_float(words[2]), 1);
  EXPECT_EQ(as_float(words[3]), 0);
  EXPECT_FALSE(gives_floats(texture_with(Channels::signed_integers, 32, 1, true)));  // are not promoted
}

TEST(TextureSampling, HalvesBecomeFloatsAndMissingChannelsZeroAndOne) {
  const auto halves = value_of<uint16_t>(texture_with(Channels::floats, 16, 2, false), {0x3c00, 0x8001});
  EXPECT_EQ(as_float(halves[0]), 1);
  EXPECT_EQ(as_float(halves[1]), -0x1p-24F);
  EXPECT_EQ(as_float(halves[2]), 0);
  EXPECT_EQ(as_float(halves[3]), 1);
  const auto special = value_of<uint16_t>(texture_with(Channels::floats, 16, 4, false), {0x7c00, 0xfc00, 0x7bff, 0});
  EXPECT_EQ(as_float(special[0]), kInfinity);
  EXPECT_EQ(as_float(special[1]), -kInfinity);
  EXPECT_EQ(as_float(special[2]), 65504);
}

TEST(TextureTable, HandlesOfWhatIsRemovedStandForNothing) {
  const uint64_t texture = add_texture({}), surface = add_surface({});
  EXPECT_NE(texture_of(texture), nullptr);
  EXPECT_EQ(surface_of(texture), nullptr);
  EXPECT_NE(surface_of(surface), nullptr);
  EXPECT_FALSE(remove_surface(texture));
  EXPECT_TRUE(remove_texture(texture));
  EXPECT_FALSE(remove_texture(texture));
  EXPECT_EQ(texture_of(texture), nullptr);
  EXPECT_NE(add_texture({}), texture);
  EXPECT_EQ(texture_of(0), nullptr);
  EXPECT_TRUE(remove_surface(surface));
}

}  // namespace
}  // namespace assay::simt
