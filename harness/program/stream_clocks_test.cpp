// CUDA's rules of order, each with what it orders and what it leaves open.
#include "harness/program/stream_clocks.h"

#include <gtest/gtest.h>

namespace assay::program {
namespace {

class Clocks : public ::testing::Test {
 protected:
  static bool is_before(const Timed& earlier, const Timed& later) { return later.done.covers(earlier.moment); }

  StreamClocks clocks_;
  const StreamClocks::Stream legacy_ = StreamClocks::kLegacy;
  const StreamClocks::Stream blocking_ = clocks_.add_stream(true), other_ = clocks_.add_stream(true);
  const StreamClocks::Stream apart_ = clocks_.add_stream(false);
};

TEST_F(Clocks, WorkOfOneStreamIsInOrderAndOfTwoIsNot) {
  const Timed a = clocks_.give(blocking_), b = clocks_.give(other_), c = clocks_.give(blocking_);
  EXPECT_TRUE(is_before(a, c));
  EXPECT_FALSE(is_before(c, a));
  EXPECT_FALSE(is_before(a, b));
  EXPECT_FALSE(is_before(b, c));
}

TEST_F(Clocks, TheLegacyStreamIsInOrderWithBlockingStreamsBothWays) {
  const Timed before = clocks_.give(blocking_), apart = clocks_.give(apart_);
  const Timed legacy = clocks_.give(legacy_);
  const Timed after = clocks_.give(other_), apart_after = clocks_.give(apart_);
  EXPECT_TRUE(is_before(before, legacy));
  EXPECT_TRUE(is_before(legacy, after));
  EXPECT_TRUE(is_before(before, after)) << "through the legacy stream";
  EXPECT_FALSE(is_before(apart, legacy));
  EXPECT_FALSE(is_before(legacy, apart_after));
}

TEST_F(Clocks, AnEventStandsForWhatItsStreamWasGivenBefore) {
  const Timed a = clocks_.give(blocking_);
  const Clock event = clocks_.record(blocking_);
  const Timed late = clocks_.give(blocking_);
  const Timed too_early = clocks_.give(apart_);
  clocks_.wait(apart_, event);
  const Timed b = clocks_.give(apart_);
  EXPECT_TRUE(is_before(a, b));
  EXPECT_FALSE(is_before(late, b));
  EXPECT_FALSE(is_before(a, too_early));
}

TEST_F(Clocks, WaitingIsHandedOn) {
  const Timed a = clocks_.give(apart_);
  clocks_.wait(blocking_, clocks_.record(apart_));
  EXPECT_TRUE(is_before(a, clocks_.give(legacy_))) << "the legacy stream waits for the stream that waits";
  clocks_.wait(other_, clocks_.record(blocking_));
  EXPECT_TRUE(is_before(a, clocks_.give(other_)));
}

TEST_F(Clocks, WhatTheHostHasWaitedForIsBeforeAllThatItGives) {
  const Timed a = clocks_.give(apart_), b = clocks_.give(blocking_);
  clocks_.host_waits_for(apart_);
  const Timed c = clocks_.give(other_);
  EXPECT_TRUE(is_before(a, c));
  EXPECT_FALSE(is_before(b, c));
  clocks_.host_waits_for_all();
  EXPECT_TRUE(is_before(b, clocks_.give(apart_)));
}

TEST_F(Clocks, AnEventThatTheHostWaitsForHasNothingBehindIt) {
  const Timed a = clocks_.give(apart_);
  const Clock event = clocks_.record(apart_);
  const Timed b = clocks_.give(apart_);
  clocks_.host_waits(event);
  EXPECT_TRUE(clocks_.host().covers(a.moment));
  EXPECT_FALSE(clocks_.host().covers(b.moment));
}

TEST_F(Clocks, WaitingForTheLegacyStreamIsWaitingForBlockingStreams) {
  const Timed a = clocks_.give(blocking_), b = clocks_.give(apart_);
  clocks_.host_waits_for(legacy_);
  EXPECT_TRUE(clocks_.host().covers(a.moment));
  EXPECT_FALSE(clocks_.host().covers(b.moment));
}

TEST_F(Clocks, ADestroyedStreamsWorkIsStillWaitedForAndItsLineUsedAgainOnlyThen) {
  const Timed a = clocks_.give(apart_);
  clocks_.remove_stream(apart_);
  const auto next = clocks_.add_stream(false);
  const Timed b = clocks_.give(next);
  EXPECT_FALSE(is_before(a, b)) << "another line";
  clocks_.host_waits_for_all();
  EXPECT_TRUE(clocks_.host().covers(a.moment));
  const Timed c = clocks_.give(clocks_.add_stream(false));
  EXPECT_EQ(c.moment.line, a.moment.line);
  EXPECT_TRUE(is_before(a, c));
  EXPECT_FALSE(is_before(c, clocks_.give(next)));
}

TEST_F(Clocks, NodesHaveTheOrderOfWhatTheyAreGivenAndTheStreamThatOfAll) {
  const Timed before = clocks_.give(apart_);
  const Timed graph = clocks_.give(apart_);
  const uint32_t first = clocks_.take_line(), second = clocks_.take_line();
  const Timed a = clocks_.run_node(first, graph.done), b = clocks_.run_node(second, graph.done);
  const Timed c = clocks_.run_node(first, a.done);
  EXPECT_TRUE(is_before(before, a));
  EXPECT_FALSE(is_before(a, b));
  EXPECT_TRUE(is_before(a, c));
  EXPECT_FALSE(is_before(b, c));
  clocks_.prolong(apart_, b.done);
  clocks_.prolong(apart_, c.done);
  const Timed after = clocks_.give(apart_);
  EXPECT_TRUE(is_before(b, after));
  EXPECT_TRUE(is_before(c, after));
}

}  // namespace
}  // namespace assay::program
