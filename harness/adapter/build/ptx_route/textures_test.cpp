// Textures and surfaces in PTX that runs: the operands of each instruction, and what is found of those that go wrong.
#include <gmock/gmock.h>

#include <bit>

#include "harness/adapter/build/ptx_route/test_run_ptx.h"
#include "harness/simt/include/simt/textures.h"

namespace assay::ptx_textures {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The handle is in %rd3, the first word behind it in %r2; results are stored at %rd2, the thread's first.
const std::string kBegin =
    "ld.global.u64 %rd3, [%rd1]; ld.global.u32 %r2, [%rd1+8]; mul.wide.u32 %rd4, %r1, 16; add.s64 %rd4, %rd2, %rd4;\n";

std::string text() {
  std::string all = kPtxHead;
  const auto add = [&](const char* name, const std::string& body) { all += kernel_text(name, kBegin + body); };
  const std::string store = "st.global.v4.f32 [%rd4], {%f1, %f2, %f3, %f4};";
  add("fetches",
      "cvt.rn.f32.u32 %f5, %r1; add.f32 %f5, %f5, 0f3F000000; mov.f32 %f6, 0f3F800000;\n"
      "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd3, {%f5, %f6}];" +
          store);
  add("tells_resident",
      "mov.f32 %f5, 0f3F000000;\n"
      "tex.level.2d.v4.f32.f32 {%f1, %f2, _, _}|%p1, [%rd3, {%f5, %f5}], %f5; selp.f32 %f3, 0f3F800000, 0f00000000, %p1;\n"
      "mov.f32 %f4, 0f00000000;" +
          store);
  add("gathers",
      "mov.f32 %f5, 0f3F800000;\n"
      "tld4.g.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd3, {%f5, %f5}];" +
          store);
  add("fetches_elements",
      "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd3, {%r2}]; st.global.v4.u32 [%rd4], {%r3, %r4, %r5, "
      "%r6};");
  add("queries",
      "txq.width.b32 %r3, [%rd3]; txq.height.b32 %r4, [%rd3]; txq.depth.b32 %r5, [%rd3]; mov.u32 %r6, 9;\n"
      "st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};");
  // Moves a pair of bytes and the 32 bits behind it up by a row.
  add("moves",
      "suld.b.2d.v2.b8.trap {%h1, %h2}, [%rd3, {0, 0}]; sust.b.2d.v2.b8.trap [%rd3, {0, 1}], {%h1, %h2};\n"
      "suld.b.2d.b32.clamp {%r3}, [%rd3, {100, 0}]; suld.b.2d.b32.zero {%r4}, [%rd3, {-4, 0}];\n"
      "cvt.u32.u16 %r5, %h1; cvt.u32.u16 %r6, %h2; st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};");
  add("stores_outside",
      "sust.b.2d.b32.trap [%rd3, {%r2, 0}], {%r1};\n"
      "st.global.v4.u32 [%rd4], {%r1, %r1, %r1, %r1};");
  return all;
}

RunPtx& run() {
  static RunPtx made("textures", text());
  return made;
}

std::vector<uint32_t> words(uint64_t handle, uint32_t more = 0) {
  return {static_cast<uint32_t>(handle), static_cast<uint32_t>(handle >> 32), more, 0};
}
std::vector<uint32_t> bits(std::initializer_list<float> values) {
  std::vector<uint32_t> all;
  for (const float each : values) all.push_back(std::bit_cast<uint32_t>(each));
  return all;
}

// Two rows of two texels with two channels.
float pairs[8] = {1, 2, 3, 4, 5, 6, 7, 8};

simt::Texture texture_of_pairs() {
  simt::Texture texture;
  texture.image.memory = reinterpret_cast<std::byte*>(pairs);
  texture.image.width = texture.image.height = 2;
  texture.image.channel_count = 2;
  texture.image.row_bytes = texture.image.slice_bytes = 16;
  return texture;
}

TEST(PtxTextures, FetchesFilterBothChannels) {
  simt::Texture texture = texture_of_pairs();
  texture.is_linear = true;
  const uint64_t handle = simt::add_texture(texture);
  for (const bool checked : {false, true}) {
    const auto ran = run()("fetches", checked, 2, words(handle), 8, 0);
    EXPECT_THAT(ran.findings, IsEmpty());
    EXPECT_EQ(ran.out, bits({3, 4, 0, 1, 5, 6, 0, 1}));  // halfway between the rows
    EXPECT_EQ(run()("tells_resident", checked, 1, words(handle), 4, 0).out, bits({1, 2, 1, 0}));
    EXPECT_EQ(run()("gathers", checked, 1, words(handle), 4, 0).out, bits({6, 8, 4, 2}));
    EXPECT_THAT(run()("queries", checked, 1, words(handle), 4, 0).out, ElementsAre(2, 2, 1, 9));
  }
  simt::remove_texture(handle);
}

TEST(PtxTextures, HandlesAndGeometriesThatDoNotFitAreFound) {
  const uint64_t handle = simt::add_texture(texture_of_pairs());
  for (const bool checked : {false, true}) {
    EXPECT_THAT(run()("fetches", checked, 1, words(12345), 4, 0).findings,
                HasSubstr("of the texture object 0x3039, which is none"));
    EXPECT_THAT(run()("fetches_elements", checked, 1, words(handle), 4, 0).findings,
                HasSubstr("tex.1d (textures.ptx:"));
    EXPECT_THAT(run()("moves", checked, 1, words(handle), 4, 0).findings, HasSubstr("which is a texture"));
  }
  simt::remove_texture(handle);
  EXPECT_THAT(run()("fetches", true, 1, words(handle), 4, 0).findings, HasSubstr("which has been destroyed"));
}

TEST(PtxTextures, ElementsOutsideOfLinearMemoryAreZeroAndFound) {
  static uint32_t elements[4] = {7, 8, 9, 10};
  simt::Texture texture;
  texture.image = {.memory = reinterpret_cast<std::byte*>(elements),
                   .kind = simt::ImageKind::row_of_memory,
                   .width = 3,
                   .row_bytes = 12,
                   .slice_bytes = 12,
                   .channels = simt::Channels::unsigned_integers};
  const uint64_t handle = simt::add_texture(texture);
  for (const bool checked : {false, true}) {
    EXPECT_THAT(run()("fetches_elements", checked, 1, words(handle, 2), 4, 0).out, ElementsAre(9, 0, 0, 1));
    const auto outside = run()("fetches_elements", checked, 1, words(handle, 3), 4, 0);
    EXPECT_THAT(outside.out, ElementsAre(0, 0, 0, 0));
    EXPECT_EQ(outside.findings.find("the texture has 3 elements") != std::string::npos, checked) << outside.findings;
  }
  simt::remove_texture(handle);
}

TEST(PtxTextures, SurfacesAreAccessedByBytes) {
  static uint8_t rows[2][8];
  simt::Image image;
  image.memory = reinterpret_cast<std::byte*>(rows);
  image.width = 2, image.height = 2, image.row_bytes = 8, image.slice_bytes = 16;
  image.channel_bits = 8, image.channel_count = 4, image.channels = simt::Channels::unsigned_integers;
  const uint64_t handle = simt::add_surface(image);
  for (const bool checked : {false, true}) {
    for (uint8_t i = 0; i < 8; ++i) rows[0][i] = static_cast<uint8_t>(i + 1), rows[1][i] = 0;
    const auto ran = run()("moves", checked, 1, words(handle), 4, 0);
    EXPECT_THAT(ran.findings, IsEmpty());
    EXPECT_THAT(ran.out, ElementsAre(0x08070605, 0, 1, 2));
    EXPECT_THAT(rows[1], ElementsAre(1, 2, 0, 0, 0, 0, 0, 0));
    EXPECT_THAT(run()("stores_outside", checked, 1, words(handle, 8), 4, 0).findings,
                HasSubstr("sust.b.2d.trap (textures.ptx:"));
    EXPECT_THAT(run()("stores_outside", checked, 1, words(handle, 2), 4, 0).findings, HasSubstr("a multiple of"));
  }
  simt::remove_surface(handle);
}

TEST(PtxTextures, PtxasTakesTheText) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  EXPECT_EQ(run().refused_by_ptxas(), "");
}

}  // namespace
}  // namespace assay::ptx_textures
