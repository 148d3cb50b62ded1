// judge::output_bits: every bit that a kernel writes changes the digest, and nothing else does.
#include <gtest/gtest.h>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

std::string digest_of(const FakeKernel& change, Extras extras = {.output_bits = true}) {
  Judged judged;
  const FakeKernel right = judged.right_kernel();
  FakeDevice device([&](Tensors& tensors, uint64_t schedule) {
    right(tensors, schedule);
    change(tensors, schedule);
  });
  judge_run(judged.trial, device, extras);
  return judged.trial.row.output_bits;
}

void change_nothing(Tensors&, uint64_t) {}

TEST(OutputBits, ChangeWithEveryBitOfAnOutput) {
  const std::string right = digest_of(change_nothing);
  EXPECT_EQ(right.size(), 16u);
  EXPECT_EQ(digest_of(change_nothing), right);
  for (const char* name : {"y", "total"})
    for (const int64_t i : {0, 3})
      EXPECT_NE(
          digest_of([&](Tensors& tensors, uint64_t) { tensors.get(name).set_bits(i, tensors.get(name).bits(i) ^ 1); }),
          right)
          << name << " " << i;
  EXPECT_NE(digest_of([](Tensors& tensors, uint64_t) {
              const uint64_t first = tensors.get("y").bits(0);
              tensors.get("y").set_bits(0, tensors.get("y").bits(1));
              tensors.get("y").set_bits(1, first);
            }),
            right);
}

TEST(OutputBits, DoNotTellOneNanFromAnother) {
  const auto with = [](uint64_t bits) {
    return digest_of([=](Tensors& tensors, uint64_t) { tensors.get("y").set_bits(0, bits); });
  };
  EXPECT_EQ(with(0x7fc00000), with(0xffc00001));
  EXPECT_NE(with(0x7fc00000), with(0x7f800000));
}

TEST(OutputBits, AreOfTheFirstRunAndOnlyWhereSomebodyAsks) {
  const std::string right = digest_of(change_nothing);
  EXPECT_EQ(digest_of([](Tensors& tensors, uint64_t schedule) {
              if (schedule != 0) tensors.get("y").set_bits(0, 0);
            }),
            right);
  EXPECT_EQ(digest_of(change_nothing, {}), "");
}

}  // namespace
}  // namespace assay
