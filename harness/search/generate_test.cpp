// Random cases of every op: within their limits, and wide all the same.
#include "harness/search/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/op/launch_choice.h"
#include "harness/op/registry.h"
#include "harness/op/test_contract.h"
#include "harness/search/shrink.h"

namespace assay {
namespace {

constexpr int64_t kCases = 240;  // each of a dozen blocks has about ten of them, so that two are never luck
const GenerateLimits kLimits{.elements_max = 12000, .flops_max = 2'000'000, .threads_max = 32768};

bool is_tall(int64_t index) { return index % kEveryTall == kEveryTall - 1; }

struct Generated {
  const Contract& contract;
  const Variant& variant;
  std::vector<Case> cases;  // f32 or the variant's first dtype
};

const std::vector<Generated>& all_generated() {
  static const std::vector<Generated> all = [] {
    std::vector<Generated> generated;
    for (const Variant* variant : variants()) {
      if (variant->device != "cpu") continue;
      const Contract& contract = *find_op(variant->op);
      generated.push_back({contract, *variant, {}});
      for (int64_t index = 0; index < kCases; ++index)
        generated.back().cases.push_back(generate_case(contract, *variant, variant->dtypes.front(), 1, index, kLimits));
    }
    return generated;
  }();
  return all;
}

// Whether half of some dim would make a case smaller; whole blocks of 256 elements, say, may be all that it has.
bool can_give_way(const Generated& generated, const Case& c) {
  const Contract& contract = generated.contract;
  return std::any_of(contract.dims.begin(), contract.dims.end(), [&](const DimSpec& dim) {
    if (c.dim(dim.name) <= std::max<int64_t>(dim.min, 1)) return false;
    Case smaller = c;
    smaller.set(dim.name, std::to_string(c.dim(dim.name) / 2));
    if (contract.adjust) contract.adjust(smaller);
    if (generated.variant.adjust) generated.variant.adjust(smaller);
    return element_count(contract, smaller) < element_count(contract, c);
  });
}

TEST(Generate, KeepsItsLimits) {
  GenerateLimits tall = kLimits;
  tall.threads_max = kThreadsMax;
  for (const Generated& generated : all_generated()) {
    const auto& dims = generated.contract.dims;
    const bool has_heads = std::any_of(dims.begin(), dims.end(), [](const DimSpec& dim) { return dim.repeats; });
    int64_t large = 0;
    for (int64_t index = 0; index < kCases; ++index) {
      const Case& c = generated.cases[static_cast<size_t>(index)];
      GenerateLimits limits = is_tall(index) ? tall : kLimits;
      large += element_count(generated.contract, c) > limits.elements_max && can_give_way(generated, c);
      if (has_heads) limits.elements_max *= kMoreElements;
      EXPECT_TRUE(fits(generated.contract, c, limits) || !can_give_way(generated, c)) << print(c);
    }
    EXPECT_LE(large, kCases / 3) << generated.variant.op << "/" << generated.variant.name;
  }
}

// Optional attributes leave half of the cases as they were before an op had them, and small.
TEST(Generate, HalfOfTheCasesDoWithoutOptionalAttributes) {
  for (const Generated& generated : all_generated()) {
    const std::vector<AttrSpec>& attrs = generated.contract.attrs;
    const Contract narrow = narrowed(generated.contract, generated.variant);
    if (std::none_of(narrow.attrs.begin(), narrow.attrs.end(),
                     [](const AttrSpec& attr) { return attr.optional && attr.choices.size() > 1; }))
      continue;
    const auto as_before = std::ranges::count_if(generated.cases, [&](const Case& c) {
      return std::ranges::all_of(
          attrs, [&](const AttrSpec& attr) { return !attr.optional || c.text(attr.name) == attr.choices.front(); });
    });
    EXPECT_GE(as_before, kCases * 2 / 5) << generated.variant.op << "/" << generated.variant.name;
    EXPECT_LE(as_before, kCases * 4 / 5) << generated.variant.op << "/" << generated.variant.name;
  }
}

// The head sizes of models meet several tiles of keys, in a twentieth of the cases at least.
TEST(Generate, AttentionMeetsRealHeadsAndSeveralTiles) {
  int64_t deep = 0, all = 0;
  for (const Generated& generated : all_generated())
    for (const Case& c : generated.cases) {
      if (generated.contract.name != "attention_forward" && generated.contract.name != "attention_backward") continue;
      ++all;
      deep += c.dim("D") > 64 && c.dim("Sk") > 32;
    }
  EXPECT_GT(all, 0);
  EXPECT_GE(20 * deep, all) << deep << " of " << all;
}

// Grids are chosen where kernels stride over any, one block among them, and offsets of all tensors and of one.
TEST(Generate, ChoosesGridsAndOffsetsThatTheVariantTakes) {
  const Contract contract = test_contract();
  Variant plain, striding;
  plain.aligned = 16;
  striding.any_grid = true;
  std::set<int> grids;
  std::set<std::string> tensors;
  int64_t without_grid = 0, aligned = 0;
  for (int64_t index = 0; index < 400; ++index) {
    const Case fixed = generate_case(contract, plain, DType::bf16, 1, index, {});
    EXPECT_FALSE(fixed.grid.has_value()) << print(fixed);
    for (const TensorSpec& spec : contract.tensors)
      EXPECT_EQ(offset_bytes(spec, fixed) % 16, 0u) << spec.name << ": " << print(fixed);
    const Case open = generate_case(contract, striding, DType::bf16, 1, index, {});
    open.grid ? void(grids.insert(*open.grid)) : void(++without_grid);
    open.offset ? void(tensors.insert(open.offset->tensor)) : void(++aligned);
  }
  for (const int grid : {1, 2, 3}) EXPECT_TRUE(grids.contains(grid)) << grid;
  EXPECT_GE(*grids.rbegin(), 17);
  EXPECT_GE(without_grid, 100);
  EXPECT_GE(aligned, 200);
  EXPECT_EQ(tensors.size(), contract.tensors.size() + 1) << "each alone, and all together";
}

// A limit on threads must not leave a variant's larger blocks untried, nor tall shapes of most variants.
TEST(Generate, EveryBlockIsTriedAndTallShapesToo) {
  int64_t with_blocks = 0, with_tall_shapes = 0;
  for (const Generated& generated : all_generated()) {
    std::map<int, int> by_block;
    int64_t most_threads = 0;
    for (const Case& c : generated.cases) {
      ++by_block[c.block.value_or(0)];
      most_threads = std::max(most_threads, estimated_threads(generated.contract, c));
    }
    const std::string id = generated.variant.op + "/" + generated.variant.name;
    for (const int block : generated.variant.blocks)
      EXPECT_GE(by_block[block], kCases / (8 * std::ssize(generated.variant.blocks))) << id << " block=" << block;
    with_blocks += !generated.variant.blocks.empty();
    with_tall_shapes += most_threads > kLimits.threads_max;
  }
  EXPECT_GT(2 * with_tall_shapes, with_blocks);
}

// A limit that reduces a dim leaves a boundary value more often than not: 63 % at least, and 53 % by plain halving. In
// an op with one dim, limits remove large values, and nothing is chosen.
TEST(Generate, BoundaryValuesSurviveTheLimits) {
  const std::set<int64_t> edges = {1,  2,  3,  4,   5,   7,   8,   9,   15,  16,  17,  31,  32,   33,   63,  64,
                                   65, 96, 97, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
  for (const Generated& generated : all_generated()) {
    if (generated.contract.dims.size() == 1) continue;
    int64_t at_edges = 0, dims = 0;
    for (const Case& c : generated.cases)
      for (const DimSpec& dim : generated.contract.dims) {
        const int64_t value = c.dim(dim.name);
        at_edges += edges.contains(value) || std::ranges::count(dim.boundary, value) > 0;
        ++dims;
      }
    EXPECT_GE(10 * at_edges, 6 * dims) << generated.variant.op << "/" << generated.variant.name;
  }
}

// A variant that takes less than its op is given cases inside, boundary values among them, and they shrink inside too.
// The smallest shape of a kernel of large tiles is beyond the limits: each dim is longer in some cases all the same.
TEST(Generate, VariesTheShapesOfLargeTiles) {
  const Contract& contract = *find_op("gemm");
  Variant tiles;
  tiles.op = "gemm";
  tiles.name = "tiles";
  tiles.adjust = [](Case& c) {
    for (const char* dim : {"M", "N", "K"})
      c.set(dim, std::to_string((std::max<int64_t>(c.dim(dim), 1) + 127) / 128 * 128));
  };
  std::map<std::string, std::set<int64_t>> sizes;
  for (int64_t index = 0; index < 40; ++index) {
    const Case c = generate_case(contract, tiles, DType::f16, 1, index, kLimits);
    for (const char* dim : {"M", "N", "K"}) sizes[dim].insert(c.dim(dim));
  }
  for (const auto& [dim, values] : sizes) EXPECT_TRUE(values.contains(128) && values.contains(256)) << dim;
}

TEST(Generate, StaysWithinWhatAVariantTakes) {
  Variant variant;
  variant.op = "made_up";
  variant.name = "narrow";
  variant.domains = {{"S", 100, 300}, {"H", 0, 0, {"2", "6"}}, {"causal", 0, 0, {"1"}}};
  variant.adjust = [](Case& c) { c.set("HK", c.text("H")); };  // fix = { HK = "H" }
  const Contract contract = test_contract();
  std::set<int64_t> tokens;
  for (int64_t index = 0; index < kCases; ++index) {
    const Case c = generate_case(contract, variant, DType::f32, 1, index, {});
    const auto is_inside = [](const Case& each) {
      return each.dim("S") >= 100 && each.dim("S") <= 300 && (each.dim("H") == 2 || each.dim("H") == 6) &&
             each.dim("HK") == each.dim("H") && each.text("causal") == "1";
    };
    EXPECT_TRUE(is_inside(c)) << print(c);
    for (const Case& simpler : simpler_cases(contract, variant, c)) EXPECT_TRUE(is_inside(simpler)) << print(simpler);
    tokens.insert(c.dim("S"));
  }
  for (const int64_t boundary : {127, 128, 129, 255, 256, 257}) EXPECT_TRUE(tokens.contains(boundary)) << boundary;
}

// A variant that was written before an op had an attribute goes on being what it was.
TEST(Generate, LeavesOptionalAttributesAtTheirFirstChoiceUnlessAVariantNamesThem) {
  Contract contract = test_contract();
  contract.attrs.push_back({.name = "newer", .meaning = "", .choices = {"no", "yes"}, .optional = true});
  Variant variant;
  variant.op = "made_up";
  const auto choices_seen = [&] {
    std::set<std::string> seen;
    for (int64_t index = 0; index < 20; ++index) {
      const Case c = generate_case(contract, variant, DType::f32, 1, index, {});
      EXPECT_EQ(refused_choice(contract, variant, c), std::nullopt) << print(c);
      seen.insert(c.text("newer"));
    }
    return seen;
  };
  EXPECT_EQ(choices_seen(), std::set<std::string>{"no"});
  Case newer = generate_case(contract, variant, DType::f32, 1, 0, {});
  newer.set("newer", "yes");
  EXPECT_TRUE(refused_choice(contract, variant, newer).has_value());
  variant.domains = {{"newer", 0, 0, {"no", "yes"}}};
  EXPECT_EQ(choices_seen().size(), 2);
  EXPECT_EQ(refused_choice(contract, variant, newer), std::nullopt);
}

// Choices that are different computations are all tried in as many cases as there are choices, whichever is first.
TEST(Generate, GoesThroughChoicesInTurn) {
  Contract contract = test_contract();
  contract.attrs.push_back({.name = "turning", .meaning = "", .choices = {"a", "b", "c", "d", "e"}, .in_turn = true});
  Variant variant;
  variant.op = "made_up";
  std::set<std::string> firsts;
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    std::map<std::string, int> seen;
    for (int64_t index = 0; index < 10; ++index)
      ++seen[generate_case(contract, variant, DType::f32, seed, index, {}).text("turning")];
    for (const std::string& each : contract.attrs.back().choices) EXPECT_EQ(seen[each], 2) << each << ", seed " << seed;
    firsts.insert(generate_case(contract, variant, DType::f32, seed, 0, {}).text("turning"));
  }
  EXPECT_GT(firsts.size(), 1);
}

// Where a variant takes one choice in no case, cases of others are made instead.
TEST(Generate, LeavesOutAChoiceInTurnThatNothingAdmits) {
  Contract contract = test_contract();
  contract.attrs.push_back({.name = "turning", .meaning = "", .choices = {"a", "b", "c"}, .in_turn = true});
  Variant variant;
  variant.op = "made_up";
  variant.unsupported = [](const Case& c) -> std::optional<std::string> {
    if (c.text("turning") == "b") return "takes no b";
    return std::nullopt;
  };
  for (int64_t index = 0; index < 6; ++index)
    EXPECT_NE(generate_case(contract, variant, DType::f32, 1, index, {}).text("turning"), "b");
}

// A variant may take nothing that its op admits: then the case is the op's, and the run says UNSUPPORTED.
TEST(Generate, KeepsTheConstraintWhereAVariantTakesNothingOfIt) {
  Variant variant;
  variant.domains = {{"H", 3, 3}, {"HK", 2, 2}};
  const Contract contract = test_contract();
  const Case c = generate_case(contract, variant, DType::f32, 1, 0, {});
  EXPECT_FALSE(contract.constraint(c).has_value()) << print(c);
}

// The contract divides by HK, and this variant's own function makes it 0 of one head.
TEST(Generate, KeepsDimsInTheirDomainsWhateverAVariantMakesOfThem) {
  Variant variant;
  variant.adjust = [](Case& c) { c.set("HK", std::to_string(c.dim("H") / 2)); };
  variant.unsupported = [](const Case& c) {
    return c.dim("HK") == 0 ? std::optional<std::string>("no heads") : std::nullopt;
  };
  const Contract contract = test_contract();
  for (int64_t i = 0; i < 40; ++i) EXPECT_GE(generate_case(contract, variant, DType::f32, 1, i, {}).dim("HK"), 1);
}

Case made_up(const std::string& text) { return *conforming("made_up/any f32 " + text + " fill=normal seed=1"); }

TEST(EstimatedThreads, AreABlockForEveryRow) {
  const Contract contract = test_contract();  // out is (2*S*H, 3), the tensor of most rows
  EXPECT_EQ(estimated_threads(contract, made_up("S=5 H=2 HK=1 causal=0 init=zero")), 0) << "no block size";
  Case c = made_up("S=5 H=2 HK=1 causal=0 init=zero");
  c.block = 64;
  EXPECT_EQ(estimated_threads(contract, c), 2 * 5 * 2 * 64);
}

// Eight short rows cost what eight rows of eight elements do.
TEST(Fits, CountsShortRowsAsLongerOnes) {
  Contract contract = test_contract();
  contract.flops = [](const Case& c) { return static_cast<double>(c.dim("S")); };
  const Case c = made_up("S=300 H=1 HK=1 causal=0 init=zero");  // rows of 8 and 3 elements
  EXPECT_TRUE(fits(contract, c, {.flops_max = 800}));
  EXPECT_FALSE(fits(contract, c, {.flops_max = 799}));
}

}  // namespace
}  // namespace assay
