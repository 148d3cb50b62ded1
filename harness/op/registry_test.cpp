// Finding ops and variants by name, and the answer to a mistyped name.
#include "harness/op/registry.h"

#include <gmock/gmock.h>

#include "harness/op/replacing.h"
#include "harness/op/test_contract.h"

namespace assay {
namespace {

using testing::HasSubstr;

// A contract as its author writes it: without the attribute `init`, which registering adds.
Contract unregistered() {
  Contract contract = test_contract();
  contract.attrs.pop_back();
  return contract;
}

// Registers its op when its first test starts, so that tests of all built-in ops in this program see these alone.
class Registry : public testing::Test {
 protected:
  static void SetUpTestSuite() { static const RegisterOp kOp(unregistered()); }
};

class ReadCase : public Registry {};

void run_nothing(Call&) {}

Variant variant(std::string op, std::string name) {
  Variant v{.op = std::move(op), .name = std::move(name), .summary = "", .run = run_nothing};
  v.device = "cpu";
  return v;
}

TEST_F(Registry, KeepsOpsSortedAndFindsThem) {
  const auto by_name = [](const Contract& a, const Contract& b) { return a.name < b.name; };
  EXPECT_TRUE(std::is_sorted(all_ops().begin(), all_ops().end(), by_name));
  ASSERT_NE(find_op("made_up"), nullptr);
  EXPECT_EQ(find_op("made_up")->name, "made_up");
  EXPECT_EQ(find_op("made"), nullptr);
}

TEST_F(Registry, KeepsPointersToOpsWhenModulesRegisterMore) {
  const Contract* made_up = find_op("made_up");
  const std::string* name = &made_up->name;
  for (int i = 0; i < 100; ++i) {
    Contract contract = unregistered();
    contract.name = (i % 2 == 0 ? "before_" : "zz_after_") + std::to_string(i);
    const RegisterOp late(std::move(contract));
  }
  EXPECT_EQ(find_op("made_up"), made_up);
  EXPECT_EQ(name, &find_op("made_up")->name);
  EXPECT_EQ(find_op("zz_after_99")->name, "zz_after_99");
}

TEST_F(Registry, DimsOfListedValuesGetTheirLimits) {
  Contract contract = unregistered();
  contract.name = "of_listed_values";
  contract.dims.push_back({.name = "run", .meaning = "a block's threads", .only = {64, 32, 1024}});
  const RegisterOp op(std::move(contract));
  const DimSpec& run = find_op("of_listed_values")->dims.back();
  EXPECT_EQ(run.min, 32);
  EXPECT_EQ(run.max, 1024);
  EXPECT_THAT(run.only, testing::ElementsAre(32, 64, 1024));
  EXPECT_EQ(nearest(run, 0), 32);
  EXPECT_EQ(nearest(run, 48), 32);
  EXPECT_EQ(nearest(run, 5000), 1024);
}

TEST_F(Registry, AccumulatingOpsGetTheInitAttribute) {
  const auto& attrs = find_op("made_up")->attrs;
  ASSERT_EQ(attrs.size(), 2u);
  EXPECT_EQ(attrs[1].name, "init");
  EXPECT_EQ(attrs[1].choices.front(), "zero") << "shrinking moves towards the front";
}

TEST_F(Registry, SelectsByOpVariantAndGlob) {
  const Variant v = variant("softmax", "warp_per_row");
  for (const char* yes : {"softmax", "soft*", "*", "softmax/warp_per_row", "softmax/*", "*/warp*", "s?ftmax", "*/*"})
    EXPECT_TRUE(selects(yes, v)) << yes;
  for (const char* no : {"soft", "softmax/warp", "warp_per_row", "softmax/", "", "other/*", "SOFTMAX"})
    EXPECT_FALSE(selects(no, v)) << no;
}

TEST_F(Registry, FindsVariantsPerDevice) {
  register_variant(variant("made_up", "zig"));
  Variant gpu = variant("made_up", "zig");
  gpu.device = "gpu";
  register_variant(gpu);
  ASSERT_NE(find_variant("made_up", "zig", "cpu"), nullptr);
  EXPECT_EQ(find_variant("made_up", "zig", "gpu")->device, "gpu");
  EXPECT_EQ(find_variant("made_up", "zag", "cpu"), nullptr);
  const auto all = variants();
  const auto order = [](const Variant* a, const Variant* b) {
    return std::tie(a->op, a->name, a->device) < std::tie(b->op, b->name, b->device);
  };
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), order));
}

TEST_F(Registry, RefusesASecondOfTheSameNameAndAVariantThatCannotRun) {
  EXPECT_DEATH(RegisterOp{unregistered()}, "two ops are named 'made_up'");
  EXPECT_DEATH(
      {
        register_variant(variant("a", "b"));
        register_variant(variant("a", "b"));
      },
      "named 'a/b'");
  Variant empty = variant("a", "empty");
  empty.run = nullptr;
  EXPECT_DEATH(register_variant(empty), "'a/empty' has no run function");
}

TEST_F(Registry, ReplacesVariantsOnlyWhereThatIsMeant) {
  register_variant(variant("made_up", "replaced"));
  Variant other = variant("made_up", "replaced");
  other.device = "cpu-checked";
  register_variant(other);
  Variant better = variant("made_up", "replaced");
  better.summary = "the mutant";
  {
    const ReplacingVariants replacing;
    register_variant(better);
  }
  EXPECT_EQ(find_variant("made_up", "replaced", "cpu")->summary, "the mutant");
  EXPECT_EQ(find_variant("made_up", "replaced", "cpu-checked")->summary, "");
  EXPECT_DEATH(register_variant(better), "two variants are named 'made_up/replaced'");
}

TEST_F(Registry, TakesTheSieveAwayFromAMutant) {
  Variant checked = variant("made_up", "sieved");
  checked.device = "cpu-checked";
  register_variant(checked);
  {
    const RegisteringSieves sieves;
    register_variant(variant("made_up", "sieved"));
  }
  ASSERT_NE(sieve_of(checked), nullptr);
  EXPECT_EQ(find_variant("made_up", "sieved", "cpu"), nullptr);
  const ReplacingVariants replacing;
  register_variant(checked);
  EXPECT_EQ(sieve_of(checked), nullptr);
}

TEST_F(Registry, SuggestsTheNearestOrListsAll) {
  const std::vector<std::string> known{"softmax_forward", "softmax_backward", "transpose"};
  EXPECT_EQ(suggestion("softmax_foward", known), "did you mean 'softmax_forward'?");
  EXPECT_EQ(suggestion("transpos", known), "did you mean 'transpose'?");
  EXPECT_EQ(suggestion("gelu", known), "known are softmax_forward, softmax_backward, transpose");
  EXPECT_EQ(suggestion("", {}), "known are ");
  EXPECT_EQ(suggestion("gelu", std::vector<std::string>(25, "softmax_forward")),
            "`assay list` shows the 25 that there are");
}

TEST_F(ReadCase, ChecksTheCaseAgainstItsContract) {
  const auto c = read_case("made_up/v f32 init=zero S=5 H=4 HK=2 causal=1");
  ASSERT_TRUE(c) << c.error().line();
  EXPECT_EQ(print(*c), "made_up/v f32 S=5 H=4 HK=2 causal=1 init=zero fill=normal seed=0 schedule=0");
  EXPECT_THAT(read_case("made_upp/v f32 S=5").error().line(),
              HasSubstr("column 1: unknown op: >>made_upp<</v f32 S=5; did you mean 'made_up'?"));
  EXPECT_THAT(read_case("  v f32").error().line(), HasSubstr("column 3: expected op/variant"));
  EXPECT_THAT(read_case("made_up/v f32 S=5 H=4 HK=3 causal=1 init=zero").error().line(), HasSubstr("multiple of HK"));
}

TEST(Call, GivesTensorsByName) {
  const Case c = *parse_case("a/b bf16 n=3 eps=1e-5 block=64");
  float x = 0;
  const Call call(c, {{"x", &x, 4}}, nullptr);
  EXPECT_EQ(call.in<float>("x"), &x);
  EXPECT_EQ(call.out<float>("x"), &x);
  EXPECT_EQ(call.dim("n"), 3);
  EXPECT_EQ(call.block(), 64u);
  EXPECT_EQ(call.real("eps"), 1e-5f);
  EXPECT_DEATH((void)call.in<float>("y"), "asks for a tensor 'y'");
}

}  // namespace
}  // namespace assay
