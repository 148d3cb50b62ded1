// Guards show the exact byte, copies are deep, poison is distinct from data, and far strays stop the process.
#include "harness/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace assay {
namespace {

Tensor make(DType dtype, std::vector<int64_t> shape) { return {"x", dtype, Role::output, std::move(shape)}; }

TEST(Tensor, KnowsItsShape) {
  const Tensor t = make(DType::bf16, {2, 3, 5});
  EXPECT_EQ(t.count(), 30);
  EXPECT_EQ(t.bytes(), 60u);
  EXPECT_EQ(make(DType::f32, {}).count(), 1) << "no dimension: a scalar";
  EXPECT_EQ(make(DType::f32, {0, 7}).count(), 0);
}

TEST(Tensor, IsAlignedAsDeviceMemoryIs) {
  for (const int64_t count : {0, 1, 3, 64, 1000, 4096, 5000})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(make(DType::f16, {count}).data()) % 256, 0u) << count;
}

TEST(Tensor, BeginsAtItsOffsetBetweenIntactGuards) {
  for (const int64_t count : {0, 1, 3, 127, 128, 129, 2047, 2048, 5000})
    for (const size_t offset : {2u, 6u, 16u, 254u, 510u}) {
      Tensor t("x", DType::bf16, Role::output, {count}, offset);
      const Tensor copy = t;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data()) % 256, offset % 256) << count;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(copy.data()) % 256, offset % 256) << "a copy of " << count;
      for (int64_t i = 0; i < count; ++i) t.set(i, 1);
      EXPECT_EQ(t.guard_broken_at(), 0) << count << " at " << offset;
      t.data()[-1] = std::byte{0};
      EXPECT_EQ(t.guard_broken_at(), -1) << count << " at " << offset;
    }
}

TEST(Tensor, GuardsShowTheExactByte) {
  for (const int64_t count : {1, 2, 3, 63, 64, 65, 1023, 1024, 2048, 5001}) {
    for (const int64_t offset : {-1, -2, -255, -256, -4096, 0, 1, 2, 255, 256, 4095}) {
      Tensor t = make(DType::bf16, {count});
      ASSERT_EQ(t.guard_broken_at(), 0) << count;
      const int64_t at = offset < 0 ? offset : static_cast<int64_t>(t.bytes()) + offset;
      t.data()[at] = std::byte{0};
      ASSERT_EQ(t.guard_broken_at(), at) << "of " << count << " elements";
    }
  }
}

TEST(Tensor, TheNearestBrokenByteIsNamed) {
  Tensor t = make(DType::f32, {8});
  t.data()[-1] = std::byte{0};
  t.data()[-9] = std::byte{0};
  EXPECT_EQ(t.guard_broken_at(), -1);
  Tensor u = make(DType::f32, {8});
  u.data()[40] = std::byte{0};
  u.data()[33] = std::byte{0};
  EXPECT_EQ(u.guard_broken_at(), 33);
}

TEST(Tensor, AnEmptyTensorIsGuardedToo) {
  Tensor before = make(DType::f32, {0}), after = make(DType::f32, {0});
  EXPECT_EQ(before.guard_broken_at(), 0);
  before.data()[-1] = std::byte{0};
  EXPECT_EQ(before.guard_broken_at(), -1);
  after.data()[0] = std::byte{0};
  EXPECT_EQ(after.guard_broken_at(), 1);
}

TEST(Tensor, WritingEveryElementLeavesTheGuards) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::u32}) {
    Tensor t = make(dtype, {33, 31});
    for (int64_t i = 0; i < t.count(); ++i) t.set(i, static_cast<double>(i % 100));
    EXPECT_EQ(t.guard_broken_at(), 0);
    EXPECT_EQ(t.at(99), 99);
    EXPECT_EQ(t.at(t.count() - 1), static_cast<double>((t.count() - 1) % 100));
  }
}

TEST(TensorDeathTest, FarStraysStopAtOnce) {
  Tensor t = make(DType::f32, {100});
  EXPECT_DEATH(t.data()[4096 + 4096] = std::byte{1}, "");
  EXPECT_DEATH(t.data()[-(4096 + 4096)] = std::byte{1}, "");
}

TEST(Tensor, CopiesAreDeepAndHaveIntactGuards) {
  Tensor a = make(DType::f32, {3});
  for (int64_t i = 0; i < 3; ++i) a.set(i, static_cast<double>(i));
  a.data()[a.bytes()] = std::byte{0};
  Tensor b = a;
  EXPECT_EQ(b.guard_broken_at(), 0);
  b.set(1, 50);
  EXPECT_EQ(a.at(1), 1);
  EXPECT_EQ(b.at(2), 2);
  b = a;
  EXPECT_EQ(b.at(1), 1);
  const Tensor& self = b;
  b = self;
  EXPECT_EQ(b.at(2), 2);
  const Tensor moved = std::move(b);
  EXPECT_EQ(moved.at(2), 2);
  EXPECT_EQ(moved.guard_broken_at(), 0);
}

TEST(Tensor, PoisonIsNanForFloatsAndALargeIndexForU32) {
  for (const Poison pattern : {Poison::first, Poison::second}) {
    const Poison other = pattern == Poison::first ? Poison::second : Poison::first;
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::u32}) {
      Tensor t = make(dtype, {5});
      t.poison(pattern);
      EXPECT_EQ(t.guard_broken_at(), 0);
      for (int64_t i = 0; i < 5; ++i) {
        EXPECT_TRUE(t.is_poison(i, pattern));
        EXPECT_FALSE(t.is_poison(i, other));
        EXPECT_TRUE(is_float(dtype) ? std::isnan(t.at(i)) : t.at(i) > 4e9) << name(dtype);
      }
      t.set(2, 1);
      EXPECT_FALSE(t.is_poison(2, pattern));
      EXPECT_TRUE(t.is_poison(3, pattern));
    }
  }
}

TEST(Tensor, FreshMemoryOfGuardsIsNan) {
  const Tensor t = make(DType::f32, {4});
  float stray;
  std::memcpy(&stray, t.data() + t.bytes(), sizeof stray);
  EXPECT_TRUE(std::isnan(stray));
}

TEST(Tensor, IndexText) {
  EXPECT_EQ(index_text({4, 20}, 3 * 20 + 17), "[3,17]");
  EXPECT_EQ(index_text({2, 3, 5}, 29), "[1,2,4]");
  EXPECT_EQ(index_text({7}, 0), "[0]");
  EXPECT_EQ(index_text({}, 0), "[]");
}

TEST(TensorDeathTest, AnUnknownNameIsAProgrammersMistake) {
  Tensors tensors;
  tensors.push_back(make(DType::f32, {1}));
  EXPECT_EQ(&tensors.get("x"), &tensors[0]);
  EXPECT_DEATH(tensors.get("z"), "no tensor named 'z'");
}

TEST(Tensor, ElementsOf64BitsKeepAllOfThem) {
  Tensor t = make(DType::u64, {3});
  EXPECT_EQ(t.bytes(), 24u);
  t.set_bits(1, 0x0123456789ABCDEF);
  EXPECT_EQ(t.bits(1), 0x0123456789ABCDEFu);
  t.set(2, 0x1p40);
  EXPECT_EQ(t.at(2), 0x1p40);
  t.poison(Poison::second);
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(t.is_poison(i, Poison::second) && !t.is_poison(i, Poison::first)) << i;
}

// Whatever a kernel left there, it cannot be both of what two runs start from.
TEST(Tensor, PoisonOfBytesIsAnotherInTheSecondRun) {
  Tensor first = make(DType::u8, {5}), second = make(DType::u8, {5});
  first.poison(Poison::first);
  second.poison(Poison::second);
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(first.is_poison(i, Poison::first) && second.is_poison(i, Poison::second)) << i;
    first.set_bits(i, second.bits(i));
    EXPECT_FALSE(first.is_poison(i, Poison::first)) << i;
  }
  EXPECT_EQ(first.guard_broken_at(), 0);
}

// Two poisons must not make an element that a kernel leaves alone look changed.
TEST(Tensor, PoisonLeavesKeptElementsAlone) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::u64, DType::u8}) {
    Tensor t = make(dtype, {10});
    for (int64_t i = 0; i < 10; ++i) t.set_bits(i, 7);
    Regions regions;
    regions.mark(0, 2, Region::kept);
    regions.mark(4, 6, Region::unspecified);
    regions.mark(9, 10, Region::kept);
    t.set_regions(regions);
    t.poison(Poison::first);
    for (int64_t i = 0; i < 10; ++i) {
      const bool kept = i < 2 || i == 9;
      EXPECT_EQ(t.is_poison(i, Poison::first), !kept) << name(dtype) << i;
      EXPECT_EQ(t.bits(i) == 7, kept) << i;
    }
  }
}

// The tensor has several megabytes, which threads share.
TEST(Tensor, LargeCopiesAreWhole) {
  Tensor t = make(DType::u8, {(6 << 20) + 5});
  for (int64_t i = 0; i < t.count(); ++i) t.data()[i] = static_cast<std::byte>(i % 251);
  const Tensor copy = t;
  EXPECT_EQ(std::memcmp(copy.data(), t.data(), t.bytes()), 0);
}

TEST(Tensor, CopiesKnowTheirRegionsAndWhetherTheyAreThere) {
  Tensor t = make(DType::f32, {4});
  Regions regions;
  regions.mark(3, 4, Region::dead);
  t.set_regions(regions);
  t.set_absent();
  const Tensor copy = t;
  EXPECT_EQ(copy.regions().at(3), Region::dead);
  EXPECT_EQ(copy.regions().at(2), Region::plain);
  EXPECT_TRUE(copy.absent());
  EXPECT_TRUE(make(DType::f32, {4}).regions().empty());
}

TEST(Tensor, RegionsMayNotReachPastItsEnd) {
  Regions regions;
  regions.mark(2, 5, Region::kept);
  EXPECT_DEATH(make(DType::f32, {4}).set_regions(regions), "regions of 'x' lie outside of its 4 elements");
}

}  // namespace
}  // namespace assay
