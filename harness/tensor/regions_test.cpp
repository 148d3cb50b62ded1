// Regions against the plainest model of them, a region for each element.
#include "harness/tensor/regions.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace assay {
namespace {

constexpr int64_t kElements = 40;

RC_GTEST_PROP(Regions, AreWhatWasMarkedElementByElement, ()) {
  std::vector<Region> model(kElements, Region::plain);
  Regions regions;
  for (int marks = *rc::gen::inRange(0, 12); marks > 0; --marks) {
    const auto begin = *rc::gen::inRange<int64_t>(0, kElements);
    const auto end = *rc::gen::inRange<int64_t>(begin, kElements + 1);
    const auto region = *rc::gen::element(Region::kept, Region::unspecified, Region::dead);
    bool free = true;  // to be marked so
    for (int64_t i = begin; i < end; ++i) {
      const Region there = model[static_cast<size_t>(i)];
      free = free && (there == Region::plain || there == region);
    }
    if (!free) continue;
    regions.mark(begin, end, region);
    for (int64_t i = begin; i < end; ++i) model[static_cast<size_t>(i)] = region;
  }
  int64_t marked = 0;
  for (int64_t i = 0; i < kElements; ++i) {
    RC_ASSERT(regions.at(i) == model[static_cast<size_t>(i)]);
    marked += model[static_cast<size_t>(i)] != Region::plain;
  }
  RC_ASSERT(regions.count() == marked);
  int64_t last = 0;
  for (const Regions::Run& run : regions.runs()) {
    RC_ASSERT(last <= run.begin && run.begin < run.end);
    last = run.end;
  }
}

TEST(Regions, TouchingMarksOfOneRegionAreOneRun) {
  Regions regions;
  for (int64_t row = 0; row < 1000; ++row) regions.mark(row * 8, row * 8 + 8, Region::kept);
  ASSERT_EQ(regions.runs().size(), 1u);
  EXPECT_EQ(regions.count(), 8000);
}

TEST(Regions, ColumnsOfARowAreItsPads) {
  Regions regions;
  regions.mark_columns(3, 5, 3, 5, Region::dead);
  for (int64_t i = 0; i < 15; ++i) EXPECT_EQ(regions.at(i), i % 5 >= 3 ? Region::dead : Region::plain) << i;
  EXPECT_TRUE(regions.has(Region::dead) && !regions.has(Region::kept));
}

TEST(Regions, AnElementIsOfOneRegion) {
  Regions regions;
  regions.mark(0, 4, Region::kept);
  regions.mark(2, 6, Region::kept);
  EXPECT_DEATH(regions.mark(5, 7, Region::unspecified), "two regions of a tensor overlap");
}

}  // namespace
}  // namespace assay
