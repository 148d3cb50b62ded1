// Accesses with and without order, to the byte.
#include "harness/program/memory_past.h"

#include <gtest/gtest.h>

#include <map>

namespace assay::program {
namespace {

using simt::Touch;

class MemoryPastTest : public ::testing::Test {
 protected:
  // Returns the accesses that this one races with: "line BEGIN-END xBYTES".
  std::string access(StreamClocks::Stream stream, const simt::Footprint& footprint) {
    const Timed given = clocks_.give(stream);
    const auto piece = std::make_shared<PieceOfWork>(PieceOfWork{given.moment});
    std::string text;
    for (const Unordered& race : past_.access(piece, given.done, clocks_.host(), footprint))
      text += std::to_string(race.earlier->moment.line) + " " + std::to_string(race.begin) + "-" +
              std::to_string(race.end) + " x" + std::to_string(race.bytes) + " ";
    return text;
  }
  std::string write(StreamClocks::Stream stream, uintptr_t begin, uintptr_t end) {
    return access(stream, {{begin, end, Touch::write}});
  }
  std::string read(StreamClocks::Stream stream, uintptr_t begin, uintptr_t end) {
    return access(stream, {{begin, end, Touch::read}});
  }
  void wait(StreamClocks::Stream stream, StreamClocks::Stream for_stream) {
    clocks_.wait(stream, clocks_.record(for_stream));
  }

  StreamClocks clocks_;
  const StreamClocks::Stream a_ = clocks_.add_stream(false), b_ = clocks_.add_stream(false),
                             c_ = clocks_.add_stream(false);
  MemoryPast past_;
};

TEST_F(MemoryPastTest, AWriteRacesWithBothAReadWithWritesOnly) {
  EXPECT_EQ(write(a_, 10, 20), "");
  EXPECT_EQ(read(b_, 15, 30), "1 15-20 x5 ");
  EXPECT_EQ(read(c_, 20, 30), "");
  EXPECT_EQ(write(a_, 25, 40), "2 25-30 x5 3 25-30 x5 ");
}

TEST_F(MemoryPastTest, OrderIsNoRace) {
  write(a_, 0, 100);
  wait(b_, a_);
  EXPECT_EQ(read(b_, 0, 100), "");
  EXPECT_EQ(write(a_, 0, 100), "2 0-100 x100 ") << "nothing waits for the read";
  clocks_.host_waits_for_all();
  EXPECT_EQ(write(c_, 0, 100), "");
}

TEST_F(MemoryPastTest, OneReaderThatIsWaitedForDoesNotStandForAnother) {
  read(a_, 0, 8);
  read(b_, 0, 8);
  wait(c_, b_);
  EXPECT_EQ(write(c_, 0, 8), "1 0-8 x8 ");
}

TEST_F(MemoryPastTest, ALaterReadDoesNotHideAWrite) {
  write(a_, 0, 8);
  read(a_, 0, 8);
  EXPECT_EQ(read(b_, 4, 6), "1 4-6 x2 ");
}

TEST_F(MemoryPastTest, AtomicsRaceWithAllButAtomics) {
  access(a_, {{0, 4, Touch::atomic}});
  EXPECT_EQ(access(b_, {{0, 4, Touch::atomic}}), "");
  EXPECT_EQ(read(c_, 0, 4), "1 0-4 x4 2 0-4 x4 ");
}

TEST_F(MemoryPastTest, PiecesOfAFootprintAreApart) {
  access(a_, {{0, 4, Touch::write}, {4, 8, Touch::read}, {16, 20, Touch::write}, {32, 36, Touch::read}});
  EXPECT_EQ(read(b_, 2, 40), "1 2-4 x6 ") << "the first bytes, and the number of all";
  EXPECT_EQ(write(c_, 8, 16), "2 8-16 x8 ");
}

TEST_F(MemoryPastTest, NeighboursAreOneSpan) {
  for (uintptr_t at = 0; at < 100; at += 10) {
    write(at % 20 == 0 ? a_ : b_, at, at + 10);
    EXPECT_EQ(past_.spans(), at / 10 + 1) << "each is another piece's";
  }
  write(c_, 20, 80);
  EXPECT_EQ(past_.spans(), 10u) << "no order: both are kept";
  clocks_.host_waits_for_all();
  write(b_, 0, 50);
  write(b_, 50, 100);
  EXPECT_EQ(past_.spans(), 2u);
  const auto piece = std::make_shared<PieceOfWork>(PieceOfWork{clocks_.give(a_).moment});
  past_.access(piece, clocks_.record(a_), clocks_.host(), {{100, 110, Touch::read}});
  past_.access(piece, clocks_.record(a_), clocks_.host(), {{110, 120, Touch::read}});
  EXPECT_EQ(past_.spans(), 3u) << "of one piece";
  past_.forget(10, 20);
  EXPECT_EQ(read(a_, 10, 20), "");
}

TEST_F(MemoryPastTest, WhatIsDoneIsDropped) {
  for (int i = 0; i < 2000; ++i) {
    write(i % 2 == 0 ? a_ : b_, static_cast<uintptr_t>(i) * 8, static_cast<uintptr_t>(i) * 8 + 4);
    if (i % 100 == 99) clocks_.host_waits_for_all();
  }
  EXPECT_LT(past_.spans(), 600u);
  EXPECT_EQ(write(b_, 1990 * 8, 1990 * 8 + 4), "") << "of the other stream, and the host has waited";
}

// Against one byte after another.
TEST_F(MemoryPastTest, SpansAreWhatBytesAre) {
  uint32_t state = 1;
  const auto draw = [&](uint32_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  struct Plain {
    Moment moment;
    Touch touch;
  };
  std::map<uintptr_t, std::vector<Plain>> plain;  // every access of a byte
  const StreamClocks::Stream streams[] = {a_, b_, c_};
  for (int round = 0; round < 800; ++round) {
    if (draw(8) == 0) wait(streams[draw(3)], streams[draw(3)]);
    if (draw(40) == 0) clocks_.host_waits_for(streams[draw(3)]);
    const Timed given = clocks_.give(streams[draw(3)]);
    simt::Footprint footprint;
    for (uintptr_t at = draw(20); at < 64; at += 1 + draw(12)) {
      const uintptr_t end = at + 1 + draw(12);
      footprint.push_back({at, end, static_cast<Touch>(1 + draw(3))});
      at = end;
    }
    std::map<uintptr_t, int> expected;  // bytes with a race
    for (const auto& [begin, end, touch] : footprint)
      for (uintptr_t at = begin; at < end; ++at) {
        for (const Plain& each : plain[at])
          if (!given.done.covers(each.moment) && (each.touch != touch || touch == Touch::write)) expected[at] = 1;
        plain[at].push_back({given.moment, touch});
      }
    std::map<uintptr_t, int> found;
    const auto piece = std::make_shared<PieceOfWork>(PieceOfWork{given.moment});
    for (const Unordered& race : past_.access(piece, given.done, clocks_.host(), footprint)) {
      ASSERT_LE(race.end - race.begin, race.bytes);
      for (uintptr_t at = race.begin; at < race.end; ++at) found[at] = 1;
    }
    for (const auto& [at, one] : found) ASSERT_TRUE(expected.contains(at)) << round << ": byte " << at;
    ASSERT_EQ(found.empty(), expected.empty()) << round;
  }
}

TEST_F(MemoryPastTest, TheHostRacesWithWhatItHasNotWaitedFor) {
  const auto by_host = [&](uintptr_t begin, uintptr_t end, Touch touch) {
    const auto race = past_.unordered_with_host(begin, end, touch, clocks_.host());
    return race ? std::to_string(race->begin) + "-" + std::to_string(race->end) : "";
  };
  write(a_, 10, 20);
  read(b_, 30, 40);
  EXPECT_EQ(by_host(0, 12, Touch::read), "10-12");
  EXPECT_EQ(by_host(20, 60, Touch::read), "");
  EXPECT_EQ(by_host(20, 60, Touch::write), "30-40");
  EXPECT_EQ(past_.unfinished(15, 35, clocks_.host()), (simt::Footprint{{15, 20, Touch::write}, {30, 35, Touch::read}}));
  clocks_.host_waits_for(a_);
  EXPECT_EQ(by_host(0, 30, Touch::write), "");
  EXPECT_EQ(past_.unfinished(0, 100, clocks_.host()), (simt::Footprint{{30, 40, Touch::read}}));
}

}  // namespace
}  // namespace assay::program
