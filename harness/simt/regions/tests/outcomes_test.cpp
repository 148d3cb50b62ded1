// Random kernels on random blocks: split, they compute the bits that fibers do.
#include <gtest/gtest.h>

#include <set>

#include "harness/simt/include/simt/rng.h"
#include "harness/simt/regions/tests/random_kernels.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/runtime/split_kernels.h"

namespace assay::simt::regions {
namespace {

struct Shape {
  uint32_t grid, x, y, z;
  uint32_t threads() const { return x * y * z; }
};

// Has one, two or three dimensions. Kernels by warps are split for rows of whole warps, and run as fibers elsewhere.
Shape random_shape(Rng& rng) {
  const auto below = [&](uint64_t bound) { return static_cast<uint32_t>(rng.below(bound)); };
  const uint32_t grid = 1 + below(3);
  switch (below(4)) {
    case 0:
      return {grid, 1 + below(200), 1, 1};
    case 1:
      return {grid, 32 * (1 + below(8)), 1, 1};
    case 2:
      return {grid, 32 * (1 + below(2)), 1 + below(4), 1 + below(2)};
    default:
      return {grid, 1 + below(20), 1 + below(6), 1 + below(4)};
  }
}

struct Outcome {
  std::vector<uint32_t> data;
  std::string finding;  // empty: none
  bool operator==(const Outcome&) const = default;
};

Outcome run(const RandomKernel& kernel, const Shape& shape, const std::vector<uint32_t>& bounds, uint64_t schedule,
            bool split) {
  Outcome outcome{std::vector<uint32_t>(size_t{shape.grid} * shape.threads()), ""};
  for (size_t i = 0; i < outcome.data.size(); ++i) outcome.data[i] = static_cast<uint32_t>(i * 2654435761u);
  use_split_kernels(split);
  Context context{.options = {.schedule = schedule}, .findings = {}};
  {
    const ContextScope scope(context);
    kernel.launch(shape.grid, shape.x, shape.y, shape.z, outcome.data.data(), bounds.data());
  }
  use_split_kernels(true);
  if (!context.findings.empty()) outcome.finding = context.findings[0].detail;
  return outcome;
}

TEST(RandomKernels, AreSplitWithFewExceptions) {
  size_t split = 0, by_warps = 0;
  for (const RandomKernel& kernel : random_kernels()) {
    const SplitKernel* const known = split_kernel(kernel.address);
    ASSERT_NE(known, nullptr);
    if (known->split == nullptr) continue;
    ++split, by_warps += known->by_warps;
  }
  EXPECT_GE(split, 80u);
  EXPECT_GE(by_warps, 20u);
}

TEST(RandomKernels, ComputeWhatFibersCompute) {
  const auto kernels = random_kernels();
  for (size_t k = 0; k < kernels.size(); ++k) {
    Rng rng(k);
    for (int trial = 0; trial < 8; ++trial) {
      const Shape shape = random_shape(rng);
      std::vector<uint32_t> bounds(kBounds);
      for (uint32_t& bound : bounds) bound = static_cast<uint32_t>(rng.below(6));
      for (const uint64_t schedule : {0, 1 + trial}) {
        if (schedule != 0 && k >= kRaceFree) continue;  // seeded orders are others
        const Outcome fibers = run(kernels[k], shape, bounds, schedule, false);
        const Outcome split = run(kernels[k], shape, bounds, schedule, true);
        ASSERT_EQ(split, fibers) << "kernel " << k << " block (" << shape.x << "," << shape.y << "," << shape.z
                                 << ") grid " << shape.grid << " schedule " << schedule << ": " << split.finding
                                 << " / " << fibers.finding;
      }
    }
  }
}

// Small launches, and large ones, most of which ascends.
TEST(OrderOfBlocks, HasNeighboursEitherWay) {
  for (const uint32_t count : {9u, 1024u, 2055u}) {
    std::vector<bool> ascends(count), descends(count);
    for (uint64_t schedule = 1; schedule < 200; ++schedule) {
      Context context{.options = {.schedule = schedule}, .findings = {}};
      const ContextScope scope(context);
      const std::vector<uint32_t> turns = turns_of_blocks(count);
      for (uint32_t block = 1; block < count; ++block)
        (turns[block - 1] < turns[block] ? ascends : descends)[block] = true;
      EXPECT_EQ(std::set(turns.begin(), turns.end()).size(), count);
    }
    for (uint32_t block = 1; block < count; ++block)
      EXPECT_TRUE(ascends[block] && descends[block]) << block << " of " << count;
  }
}

}  // namespace
}  // namespace assay::simt::regions
