// Elements repeat the base wherever they are touched; writes are found by their element; what lies beside is reserved.
#include "harness/tensor/virtual_tensor.h"

#include <gtest/gtest.h>

#include <cstring>

namespace assay {
namespace {

Tensor counted(DType dtype, std::vector<int64_t> shape, size_t offset = 0) {
  Tensor base("x", dtype, Role::output, std::move(shape), offset);
  for (int64_t i = 0; i < base.count(); ++i) base.set(i, static_cast<double>(i));
  return base;
}

uintptr_t address_of(const VirtualTensor& tensor, int64_t i) {
  return reinterpret_cast<uintptr_t>(tensor.data()) + static_cast<uintptr_t>(i) * size_of(tensor.base().dtype());
}

uint64_t read(VirtualTensor& tensor, int64_t i) {
  tensor.touch(address_of(tensor, i));
  uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(address_of(tensor, i)), size_of(tensor.base().dtype()));
  return bits;
}

void write(VirtualTensor& tensor, int64_t i) {
  tensor.touch(address_of(tensor, i));
  *reinterpret_cast<char*>(address_of(tensor, i)) ^= 0x40;
}

TEST(VirtualTensor, RepeatsItsBaseAlongEveryAxis) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::u8}) {
    const Tensor base = counted(dtype, {3, 5});
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{4001, 5}, {3, 70001}, {301, 307}}) {
      VirtualTensor tensor = VirtualTensor::reserve(base, shape).value();
      for (int64_t i = 0; i < tensor.count(); i += 13)
        ASSERT_EQ(read(tensor, i), base.bits(i / shape[1] % 3 * 5 + i % shape[1] % 5)) << i;
    }
  }
}

TEST(VirtualTensor, HoldsMoreElementsThanMemoryDoes) {
  const Tensor base = counted(DType::f32, {4093});
  VirtualTensor tensor = VirtualTensor::reserve(base, {(int64_t{1} << 40) + 7}).value();
  for (const int64_t i : {int64_t{0}, int64_t{1} << 31, int64_t{1} << 32, (int64_t{1} << 40) + 6})
    EXPECT_EQ(read(tensor, i), base.bits(i % 4093)) << i;
  EXPECT_LE(tensor.touched_bytes(), 4 * 16384);
}

TEST(VirtualTensor, TellsWhatWasWrittenUntilItForgets) {
  const Tensor base = counted(DType::f32, {7});
  VirtualTensor tensor = VirtualTensor::reserve(base, {1'000'003}).value();
  for (const int64_t i : {999'999, 5, 1'000'002}) write(tensor, i);
  read(tensor, 500'000);
  std::vector<int64_t> written;
  for (const auto& change : tensor.changes()) written.push_back(change.element);
  EXPECT_EQ(written, (std::vector<int64_t>{5, 999'999, 1'000'002}));
  tensor.forget();
  EXPECT_TRUE(tensor.changes().empty());
  EXPECT_EQ(read(tensor, 5), base.bits(5));
  EXPECT_TRUE(tensor.changes().empty());
}

TEST(VirtualTensor, TellsWritesBesideItsElements) {
  for (const size_t offset : {0u, 8u}) {
    const Tensor base = counted(DType::f32, {7}, offset);
    VirtualTensor tensor = VirtualTensor::reserve(base, {5'003}).value();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 256, offset);
    for (int64_t i = 0; i < tensor.count(); ++i) write(tensor, i);
    EXPECT_EQ(tensor.guard_broken_at(), 0);
    tensor.data()[5'003 * 4] = std::byte{0};
    EXPECT_EQ(tensor.guard_broken_at(), 5'003 * 4);
    tensor.forget();
    read(tensor, 0);
    tensor.data()[-1] = std::byte{0};
    EXPECT_EQ(tensor.guard_broken_at(), -1);
  }
}

TEST(VirtualTensor, ReservesWhatAWrongIndexOf32BitsReaches) {
  const Tensor base = counted(DType::f32, {7});
  VirtualTensor tensor = VirtualTensor::reserve(base, {int64_t{1} << 32}).value();
  for (const int64_t i : {-1'000'000LL, -(1LL << 31), -(1LL << 32), (1LL << 32) + 1'000'000, 1LL << 33}) {
    EXPECT_TRUE(tensor.reserves(address_of(tensor, i))) << i;
    EXPECT_FALSE(tensor.touch(address_of(tensor, i))) << i;
    EXPECT_EQ(tensor.element_at(address_of(tensor, i)), i);
    EXPECT_EQ(tensor.element_at(address_of(tensor, i) + 3), i);
  }
  EXPECT_FALSE(tensor.reserves(reinterpret_cast<uintptr_t>(&base)));
}

}  // namespace
}  // namespace assay
