// judge::memory: writes outside tensors and to inputs, by their place; silent where nothing was touched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::HasSubstr;

enum class Where : uint8_t { before_start, past_end, inside };

struct Write {
  const char* name;
  const char* tensor;
  Where where;
  int64_t byte;  // from the start, from the end, or of the tensor
  Kind kind;     // pass: nothing to find
  const char* reported;
};

// (4, 40) f32 elements of x and y, 4 of total.
const Write kWrites[] = {
    {"output", "y", Where::inside, 5, Kind::pass, ""},
    {"accumulated output", "total", Where::inside, 0, Kind::pass, ""},
    {"first element of an input", "x", Where::inside, 0, Kind::input_changed, "input x[0,0] was "},
    {"last byte of an input", "x", Where::inside, 639, Kind::input_changed, "(1 of 160 elements changed)"},
    {"one past an output", "y", Where::past_end, 0, Kind::guard_broken,
     "output y was written outside: 1 elements past"},
    {"three past an output", "y", Where::past_end, 8, Kind::guard_broken, "3 elements past its end"},
    {"last byte of the element past an output", "y", Where::past_end, 3, Kind::guard_broken, "1 elements past its end"},
    {"one before an output", "y", Where::before_start, 1, Kind::guard_broken, "1 elements before its start"},
    {"two before an output", "y", Where::before_start, 8, Kind::guard_broken, "2 elements before its start"},
    {"past an input", "x", Where::past_end, 0, Kind::guard_broken, "memory of input x was written outside"},
    {"before an accumulated output", "total", Where::before_start, 4, Kind::guard_broken, "of accumulate total"},
};

TEST(Memory, TellsWhereAWriteWent) {
  for (const Write& write : kWrites) {
    Judged judged;
    Tensor& tensor = judged.trial.got.get(write.tensor);
    std::byte* const at = write.where == Where::before_start ? tensor.data() - write.byte
                          : write.where == Where::past_end   ? tensor.data() + tensor.bytes() + write.byte
                                                             : tensor.data() + write.byte;
    *at ^= std::byte{0x10};
    const Findings findings = judge::memory(judged.trial);
    if (write.kind == Kind::pass) {
      EXPECT_TRUE(findings.empty()) << write.name << ": " << findings.front().detail;
      continue;
    }
    ASSERT_EQ(findings.size(), 1u) << write.name;
    EXPECT_EQ(findings[0].kind, write.kind) << write.name;
    EXPECT_THAT(findings[0].detail, HasSubstr(write.reported)) << write.name;
  }
}

TEST(Memory, IsSilentAfterARightRun) {
  Judged judged;
  EXPECT_TRUE(judge::memory(judged.trial).empty());
  judged.run(judged.right_kernel());
  EXPECT_TRUE(judge::memory(judged.trial).empty());
}

TEST(Memory, CountsTheChangedElementsAndShowsTheFirst) {
  Judged judged;
  Tensor& x = judged.trial.got.get("x");
  x.set(41, 17);
  x.set(90, 17);
  const Findings findings = judge::memory(judged.trial);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].detail, HasSubstr("input x[1,1] was "));
  EXPECT_THAT(findings[0].detail, HasSubstr(" and is 17 after the run (2 of 160 elements changed)"));
}

// -0 for 0 and one NaN for another are changes, which no comparison of values would see.
TEST(Memory, ComparesInputsByTheirBits) {
  const auto finding = [](uint32_t before, uint32_t after) {
    Contract contract = judged_contract();
    contract.tensors[0].make = [before](const Case&, Rng&, Tensor& x) {
      for (int64_t i = 0; i < x.count(); ++i) x.set_bits(i, before);
    };
    Judged judged("f32 rows=4 cols=40 init=random", contract);
    judged.trial.got.get("x").set_bits(47, after);
    const Findings findings = judge::memory(judged.trial);
    return findings.empty() ? "" : findings.front().detail;
  };
  const auto one_change = testing::AllOf(HasSubstr("input x[1,7] was "), HasSubstr("(1 of 160 elements changed)"));
  EXPECT_THAT(finding(0, 0x80000000), one_change);
  EXPECT_THAT(finding(0x7fc00000, 0x7fc00001), one_change);
  EXPECT_EQ(finding(0x7fc00001, 0x7fc00001), "");
}

// All of them: a kernel that is one row off breaks several guards.
TEST(Memory, TellsEveryTensor) {
  Judged judged;
  for (Tensor& tensor : judged.trial.got) tensor.data()[tensor.bytes()] = std::byte{0};
  EXPECT_EQ(judge::memory(judged.trial).size(), 3u);
}

}  // namespace
}  // namespace assay
