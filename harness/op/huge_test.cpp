// References repeat along the dims that their contracts name, and an op that does not is found.
#include "harness/op/huge.h"

#include <gmock/gmock.h>

#include "harness/op/contract_check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::HasSubstr;

// Element i of out is x_i, times its number where it counts.
Contract numbered(bool counts) {
  return {
      .name = "numbered",
      .summary = "for tests",
      .dims = {{.name = "n", .meaning = "elements"}, {.name = "cols", .meaning = "elements of a row"}},
      .repeats_along = {"n"},
      .tensors = {{.name = "x", .shape = {"n", "cols"}}, {.name = "out", .role = Role::output, .shape = {"n", "cols"}}},
      .reference = reference_from([counts](auto& io) {
        for (int64_t i = 0; i < std::ssize(io.in("x").values); ++i)
          io.out("out")[i] = counts ? io.in("x")[i] * static_cast<float>(i + 1) : io.in("x")[i];
      })};
}

Case sized(const Contract& contract, const std::string& n) {
  Case c = case_of_size(contract, 3);
  c.set("n", n);
  return c;
}

TEST(Huge, BeginsWhereReferencesDoNotFitMemory) {
  const Contract contract = numbered(false);
  EXPECT_FALSE(is_huge(contract, sized(contract, "1000000")));
  EXPECT_TRUE(is_huge(contract, sized(contract, "100000000")));
  EXPECT_TRUE(is_huge(contract, sized(contract, "1000000000000000000"))) << "more than 64 bits count";
}

TEST(Huge, RepeatsAnOddNumberOfRows) {
  const Contract contract = numbered(false);
  const Case base = base_of(contract, sized(contract, "4294967299")).value();
  EXPECT_EQ(base.dim("n"), 4093);
  EXPECT_EQ(base.dim("cols"), 3);
  EXPECT_EQ(base_of(contract, sized(contract, "5"))->dim("n"), 5) << "no longer than the case";
}

TEST(Huge, HasASmallBaseOrNone) {
  const Contract contract = numbered(false);
  Case c = sized(contract, "100000");
  c.set("cols", "100000");
  EXPECT_LT(largest_tensor(contract, *base_of(contract, c)), 1 << 21);
  c.set("cols", "300000000");
  EXPECT_FALSE(base_of(contract, c).has_value());
  EXPECT_GT(compulsory_bytes(contract, c), 0) << "without the base";
}

TEST(Huge, IsRefusedWhereNothingRepeats) {
  Contract contract = numbered(false);
  contract.repeats_along.clear();
  EXPECT_THAT(base_of(contract, sized(contract, "4294967299")).error().what, HasSubstr("names no dim"));
  contract = numbered(false);
  contract.constraint = [](const Case& c) -> std::optional<Error> {
    if (c.dim("n") > 5000) return std::nullopt;
    return Error{"too few", ""};
  };
  EXPECT_THAT(base_of(contract, sized(contract, "4294967299")).error().what, HasSubstr("no small case"));
}

TEST(Huge, TellsAnOpThatDoesNotRepeat) {
  for (const bool counts : {false, true}) {
    const Contract contract = numbered(counts);
    const Case base = sized(contract, "7");
    const auto why = why_not_repeated(contract, base, make_tensors(contract, base));
    EXPECT_EQ(why.has_value(), counts) << why.value_or("");
    EXPECT_THAT(why.value_or("out[7,0]"), HasSubstr("out[7,0]"));
  }
}

TEST(Huge, EveryOpRepeatsAlongTheDimsThatItNames) {
  int named = 0;
  for (const Contract& contract : all_ops()) {
    if (contract.repeats_along.empty()) continue;
    ++named;
    Case c = case_of_size(contract, 3);
    if (contract.adjust) contract.adjust(c);
    const Result<Case> base = base_of(contract, c);
    ASSERT_TRUE(base.has_value()) << base.error().line();
    EXPECT_EQ(why_not_repeated(contract, *base, make_tensors(contract, *base)), std::nullopt) << contract.name;
  }
  EXPECT_GT(named, 30);
}

}  // namespace
}  // namespace assay
