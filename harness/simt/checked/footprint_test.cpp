// Footprints by the records of cells, and which pages are looked through.
#include "harness/simt/checked/footprint_record.h"

#include <gtest/gtest.h>

namespace assay::simt::checked {
namespace {

constexpr uint64_t kLaunch = 10;

class FootprintTest : public ::testing::Test {
 protected:
  FootprintTest() {
    record_.is_wanted = true;
    record_.launch_begins();
  }
  uint64_t at_tick(uint64_t tick) const { return tick << kTickShift; }
  Cell& cell(size_t byte) { return arena_.cell(buffer_ + byte); }
  void come_to(size_t byte) { record_.access({.address = buffer_ + byte, .bytes = 4}); }
  void access_part(size_t byte, uint32_t mask, Access access) {
    const uintptr_t at = buffer_ + byte;
    record_.access_part({.address = at, .bytes = 1, .access = access, .cell = at, .mask = mask}, arena_.cell(at),
                        kLaunch);
  }
  // "w0-4 r8-12", in bytes of the buffer.
  std::string footprint() {
    record_.launch_ends(kLaunch, {});
    std::string text;
    for (const Touched& each : record_.take())
      text += std::string(1, " raw"[static_cast<int>(each.touch)]) + std::to_string(each.begin - buffer_) + "-" +
              std::to_string(each.end - buffer_) + " ";
    return text;
  }

  Arena arena_;
  const uintptr_t buffer_ =
      reinterpret_cast<uintptr_t>(arena_.place({.name = "x", .bytes = 3 * kPageBytes - 2}, nullptr));
  FootprintRecord record_{arena_};
};

TEST_F(FootprintTest, WordsOfThisLaunchCountAndThoseOfEarlierOnesDoNot) {
  come_to(0);
  cell(0).write = cell(4).read = cell(8).write = cell(8).read = at_tick(kLaunch);
  cell(12) = {at_tick(kLaunch - 1), at_tick(kLaunch - 1)};
  cell(16).write = at_tick(kLaunch + 1) | kAtomic;
  cell(20).read = at_tick(kLaunch + 1) | kMany | kCross;
  EXPECT_EQ(footprint(), "w0-4 r4-8 w8-12 a16-20 r20-24 ");
  EXPECT_EQ(footprint(), "") << "once";
}

TEST_F(FootprintTest, PagesAreHiddenUntilTheFirstAccessAndPutBack) {
  EXPECT_EQ(arena_.page(buffer_), Page::unaddressable);
  come_to(kPageBytes - 2);  // to both pages
  EXPECT_EQ(arena_.page(buffer_), Page::fresh);
  EXPECT_EQ(arena_.page(buffer_ + kPageBytes), Page::fresh);
  EXPECT_EQ(arena_.page(buffer_ + 2 * kPageBytes), Page::unaddressable);
  for (const size_t page : {0, 1, 2}) cell(page * kPageBytes).write = at_tick(kLaunch);
  EXPECT_EQ(footprint(), "w0-4 w4096-4100 ") << "nobody came to the third";
  EXPECT_EQ(arena_.page(buffer_ + 2 * kPageBytes), Page::fresh);
  record_.is_wanted = false;
  record_.launch_begins();
  EXPECT_EQ(arena_.page(buffer_), Page::fresh);
}

TEST_F(FootprintTest, AHalfIsWholeUnlessItsBytesWereAccessedAlone) {
  come_to(0);
  const uint64_t untouched = pack({.tick = kLaunch, .init = 3});
  cell(0) = {pack({.tick = kLaunch, .has_writer = true, .init = 3}), untouched};
  cell(4) = {untouched, pack({.tick = kLaunch, .has_reader = true, .init = 3})};
  cell(8) = {pack({.tick = kLaunch - 1, .has_writer = true, .init = 3}), untouched};
  cell(12) = {pack({.tick = kLaunch, .wrote = true, .init = 3}), pack({.tick = kLaunch, .cross = true, .init = 3})};
  cell(16) = {pack({.tick = kLaunch, .has_writer = true, .init = 3}), untouched};
  access_part(16, 2, Access::write);
  EXPECT_EQ(footprint(), "w0-2 r6-8 w12-14 r14-16 w17-18 ");
}

TEST_F(FootprintTest, WordsThatBecomeHalvesAreNotForgotten) {
  come_to(0);
  cell(0).read = at_tick(kLaunch);
  access_part(0, 1, Access::write);
  cell(0) = {pack({.tick = kLaunch, .has_writer = true, .init = 3}), pack({.tick = kLaunch, .init = 3})};
  EXPECT_EQ(footprint(), "w0-1 r1-4 ");
}

TEST_F(FootprintTest, NothingLiesBehindTheBuffer) {
  come_to(2 * kPageBytes);
  cell(3 * kPageBytes - 4).write = pack({.tick = kLaunch, .has_writer = true, .init = 3});
  EXPECT_EQ(footprint(), "w12284-12286 ");
}

}  // namespace
}  // namespace assay::simt::checked
