// The laws of shrinking, on an op made for the test: steps never yield the original, always end, stay inside the
// contract; the loop finds the smallest failing case, keeps the verdict's kind and its budget.
#include "harness/search/shrink.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "harness/search/generate.h"

namespace assay {
namespace {

Contract make_contract() {
  Contract contract;
  contract.name = "pairs";
  contract.dims = {{.name = "H", .meaning = "heads", .min = 1},
                   {.name = "HK", .meaning = "key heads", .min = 1},
                   {.name = "D", .meaning = "head size", .min = 0}};
  contract.attrs = {{"causal", "mask", {"0", "1"}}};
  contract.tensors = {{.name = "q", .role = Role::input, .shape = {"H", "D"}},
                      {.name = "o", .role = Role::output, .shape = {"H*D"}}};
  contract.constraint = [](const Case& c) -> std::optional<Error> {
    if (c.dim("H") % c.dim("HK") == 0) return std::nullopt;
    return Error{"H is no multiple of HK", "choose one"};
  };
  contract.adjust = [](Case& c) {
    c.set("H", std::to_string(std::max<int64_t>(1, c.dim("H") / c.dim("HK")) * c.dim("HK")));
  };
  contract.flops = [](const Case& c) { return 100.0 * static_cast<double>(c.dim("D")); };
  return contract;
}

Variant make_variant() {
  Variant variant;
  variant.op = "pairs";
  variant.name = "plain";
  variant.blocks = {256, 32, 96};
  variant.any_grid = true;
  return variant;
}

const Contract kContract = make_contract();
const Variant kVariant = make_variant();

Case some_case(uint64_t seed) { return generate_case(kContract, kVariant, DType::bf16, seed, 0, {100000}); }

int64_t weight_of_offset(const Case& c) {
  if (!c.offset) return 0;
  const auto place = std::find_if(kContract.tensors.begin(), kContract.tensors.end(),
                                  [&](const TensorSpec& spec) { return spec.name == c.offset->tensor; });
  return c.offset->elements + (place - kContract.tensors.begin());
}

// A dim that is at its least weighs more than any length of the others.
int64_t weight_of_dims(const Case& c) {
  int64_t above = 0, lengths = 0;
  for (const DimSpec& dim : kContract.dims) {
    above += c.dim(dim.name) > 1;
    lengths += c.dim(dim.name);
  }
  return above * 1'000'000'000 + 8 * lengths;
}

int64_t weight(const Case& c) {
  int64_t sum = c.grid.value_or(0) + weight_of_offset(c) + weight_of_dims(c) + c.dim("causal") + *c.block;
  sum += static_cast<int64_t>(c.dtype);
  sum += static_cast<int64_t>(c.schedule) + static_cast<int64_t>(std::min<uint64_t>(c.seed, 4));
  const std::vector<std::string> lightest = {"integers", "normal", "uniform"};
  const auto found = std::find(lightest.begin(), lightest.end(), c.fill);
  return sum * 5 + (c.fill == "row_of_each" ? 4 : found - lightest.begin());
}

ShrinkBudget plenty() { return {std::chrono::steady_clock::now() + std::chrono::minutes(1), nullptr}; }

const IsSame kMismatch = [](const ResultRow& row) { return row.verdict == Kind::mismatch; };

ResultRow row_of(const Case& c, Kind kind) {
  ResultRow row;
  row.c = c;
  row.verdict = kind;
  return row;
}

RC_GTEST_PROP(Simpler, never_the_original_always_lighter_and_inside_the_contract, (uint64_t seed)) {
  const Case c = some_case(seed);
  for (const Case& simpler : simpler_cases(kContract, kVariant, c)) {
    RC_ASSERT(!(simpler == c));
    RC_ASSERT(weight(simpler) < weight(c));
    RC_ASSERT(conform(kContract, simpler, print(simpler)).has_value());
    RC_ASSERT(simpler.dim("H") % simpler.dim("HK") == 0);
  }
}

RC_GTEST_PROP(Simpler, data_has_fewer_elements_each_time, (uint64_t seed)) {
  Case c = some_case(seed);
  for (const Case& simpler : simpler_data(kContract, c)) {
    RC_ASSERT(simpler.nonzero.has_value());
    RC_ASSERT(*simpler.nonzero < std::max(c.dim("H") * c.dim("D"), int64_t{1}));
  }
}

// Without adjusting, lowering HK alone breaks the constraint, and lowering H alone most of the time.
TEST(Simpler, DimsThatAreTiedShrinkTogether) {
  const Case c = *parse_case("pairs/plain f32 H=7 HK=7 D=4 causal=0 fill=integers seed=0 block=32 schedule=0");
  const auto simpler = simpler_cases(kContract, kVariant, c);
  const auto has = [&](int64_t heads, int64_t key_heads) {
    return std::any_of(simpler.begin(), simpler.end(),
                       [&](const Case& s) { return s.dim("H") == heads && s.dim("HK") == key_heads; });
  };
  EXPECT_TRUE(has(6, 3));
  EXPECT_TRUE(has(4, 4));
}

TEST(Generate, MovesCasesIntoTheConstraintAndBelowTheLimits) {
  std::set<int64_t> ratios;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Case c = generate_case(kContract, kVariant, DType::f32, seed, 0, {2000, 10'000});
    EXPECT_LE(element_count(kContract, c), 2000);
    EXPECT_LE(c.dim("D"), 100);
    ratios.insert(c.dim("H") / c.dim("HK"));
  }
  EXPECT_GE(ratios.size(), 10u);
}

TEST(Generate, AsksTheVariantWhatItSupports) {
  Variant variant = kVariant;
  variant.adjust = [](Case& c) { c.set("D", std::to_string(c.dim("D") / 8 * 8)); };
  for (uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(generate_case(kContract, variant, DType::f32, seed, 0, {2000, 10'000}).dim("D") % 8, 0);
}

TEST(Simpler, TheSmallestCaseHasNoSimplerOne) {
  Case c = *conform(kContract,
                    *parse_case("pairs/plain f32 H=1 HK=1 D=0 causal=0 fill=integers seed=0 block=32 schedule=0"), "");
  EXPECT_THAT(simpler_cases(kContract, kVariant, c), testing::IsEmpty());
}

RC_GTEST_PROP(Shrink, finds_the_smallest_trigger, (uint64_t seed)) {
  Case c = some_case(seed);
  const int64_t threshold = *rc::gen::inRange(0, 70);
  c.set("D", std::to_string(threshold + *rc::gen::inRange(1, 500)));
  const auto run = [&](const Case& candidate) {
    return row_of(candidate, candidate.dim("D") > threshold ? Kind::mismatch : Kind::pass);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, plenty());
  RC_ASSERT(row.has_value());
  RC_ASSERT(row->shrunk_from == print(c));
  RC_ASSERT(row->line() == "pairs/plain f32 H=1 HK=1 D=" + std::to_string(threshold + 1) +
                               " causal=0 fill=integers seed=0 nonzero=0 block=32 schedule=0");
}

RC_GTEST_PROP(Shrink, keeps_a_grid_and_an_offset_that_are_needed, (uint64_t seed)) {
  Case c = some_case(seed);
  c.set("D", "7");
  c.grid = *rc::gen::inRange(1, 100);
  c.offset = Offset{*rc::gen::inRange<int64_t>(1, kOffsetMax + 1), *rc::gen::element<std::string>("", "o")};
  const int least = *rc::gen::inRange(1, *c.grid + 1);
  const auto run = [&](const Case& candidate) {
    const bool moves_output = candidate.offset && candidate.offset->tensor != "q";
    const bool fails = candidate.dim("D") > 0 && candidate.grid.value_or(0) >= least && moves_output;
    return row_of(candidate, fails ? Kind::mismatch : Kind::pass);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, plenty());
  RC_ASSERT(row.has_value());
  RC_ASSERT(row->line() == "pairs/plain f32 H=1 HK=1 D=1 causal=0 fill=integers seed=0 nonzero=0 block=32 grid=" +
                               std::to_string(least) + " offset=o:1 schedule=0");
}

TEST(Shrink, KeepsTheKindOfTheVerdict) {
  const Case c = *parse_case("pairs/plain f32 H=8 HK=1 D=64 causal=1 fill=normal seed=9 block=96 schedule=7");
  // Below D = 10 the case fails too, but by a crash: that is another bug.
  const auto run = [](const Case& candidate) {
    return row_of(candidate, candidate.dim("D") < 10 ? Kind::crash : Kind::mismatch);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, plenty());
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->c.dim("D"), 10);
}

TEST(Shrink, IsNotStuckOnOddSizes) {
  const Case c = *parse_case("pairs/plain f32 H=1 HK=1 D=63 causal=0 fill=integers seed=0 block=32 schedule=0");
  const auto run = [](const Case& candidate) {
    return row_of(candidate, candidate.dim("D") > 8 && candidate.dim("D") % 2 ? Kind::mismatch : Kind::pass);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, plenty());
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->c.dim("D"), 9);
}

// A failure that takes more elements than a block has threads is reported by one dim, not by a product of two.
TEST(Shrink, BringsASizeIntoOneDim) {
  const Case c = *parse_case("pairs/plain f32 H=17 HK=1 D=4 causal=0 fill=integers seed=0 block=32 schedule=0");
  const auto run = [](const Case& candidate) {
    return row_of(candidate, candidate.dim("H") * candidate.dim("D") > 64 ? Kind::mismatch : Kind::pass);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, plenty());
  ASSERT_TRUE(row.has_value());
  EXPECT_THAT(row->line(), testing::HasSubstr("H=65 HK=1 D=1"));  // D=65 would take 16 times as long
}

TEST(Shrink, TriesOtherDataForASmallerShape) {
  const Case c = *parse_case("pairs/plain f32 H=1 HK=1 D=9 causal=0 fill=integers seed=0 block=32 schedule=0");
  const auto run = [](const Case& candidate) {
    const int64_t needed = candidate.seed == 2 ? 5 : 9;  // seed 2 has data that shows it sooner
    return row_of(candidate, candidate.dim("D") >= needed ? Kind::mismatch : Kind::pass);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, plenty());
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->c.dim("D"), 5);
}

TEST(Shrink, SaysNothingWhenNothingSimplerFails) {
  const Case c = *parse_case("pairs/plain f32 H=2 HK=1 D=4 causal=1 fill=normal seed=1 block=96 schedule=7");
  const auto run = [](const Case& candidate) { return row_of(candidate, Kind::pass); };
  EXPECT_FALSE(shrink(kContract, kVariant, c, kMismatch, run, plenty()).has_value());
}

TEST(Shrink, KeepsItsBudgetAndTheBestSoFar) {
  const Case c = *parse_case("pairs/plain f32 H=2 HK=1 D=4000 causal=1 fill=normal seed=1 block=96 schedule=7");
  int runs = 0;
  const ShrinkBudget budget{std::chrono::steady_clock::now() + std::chrono::minutes(1), [&] { return runs >= 3; }};
  const auto run = [&](const Case& candidate) {
    ++runs;
    return row_of(candidate, Kind::mismatch);
  };
  const auto row = shrink(kContract, kVariant, c, kMismatch, run, budget);
  EXPECT_EQ(runs, 3);
  ASSERT_TRUE(row.has_value());
  EXPECT_NE(row->line(), print(c));

  const ShrinkBudget spent{std::chrono::steady_clock::now(), nullptr};
  EXPECT_FALSE(shrink(kContract, kVariant, c, kMismatch, run, spent).has_value());
  EXPECT_EQ(runs, 3);
}

RC_GTEST_PROP(Generate, cases_belong_to_the_contract_and_fit, (uint64_t seed)) {
  const auto index = *rc::gen::inRange<int64_t>(0, 1000);
  const Case c = generate_case(kContract, kVariant, DType::f16, seed, index, {5000});
  const auto again = conform(kContract, c, print(c));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == c);
  RC_ASSERT(element_count(kContract, c) <= 5000);
  RC_ASSERT(c.block == 256 || c.block == 32 || c.block == 96);
  RC_ASSERT(print(generate_case(kContract, kVariant, DType::f16, seed, index, {5000})) == print(c));
}

TEST(Generate, ReachesBoundariesSchedulesFillsAndBlocks) {
  std::set<std::string> fills, blocks;
  std::set<int64_t> dims;
  bool ascending = false, permuted = false;
  for (int64_t i = 0; i < 2000; ++i) {
    const Case c = generate_case(kContract, kVariant, DType::f32, 1, i, {100000});
    fills.insert(c.fill);
    blocks.insert(std::to_string(*c.block));
    dims.insert(c.dim("D"));
    (c.schedule == 0 ? ascending : permuted) = true;
  }
  EXPECT_GE(fills.size(), 10u);
  EXPECT_EQ(blocks.size(), 3u);
  EXPECT_TRUE(ascending && permuted);
  for (const int64_t boundary : {0, 1, 31, 32, 33, 64, 65, 127, 129, 257})
    EXPECT_TRUE(dims.count(boundary)) << boundary;
}

}  // namespace
}  // namespace assay
