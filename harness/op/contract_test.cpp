// Cases against a contract: canonical form, every kind of refusal with its hint, and what follows from dims.
#include "harness/op/contract.h"

#include <gmock/gmock.h>

#include "harness/op/test_contract.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Conform, GivesTheCanonicalOrderAndSpelling) {
  const auto c = conforming("made_up/v bf16 init=zero causal=1 HK=2 seed=3 S=005 H=4");
  ASSERT_TRUE(c) << c.error().line();
  EXPECT_EQ(print(*c), "made_up/v bf16 S=5 H=4 HK=2 causal=1 init=zero fill=normal seed=3 schedule=0");
  const auto again = conforming(print(*c));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *c);
}

struct Refused {
  const char* line;
  const char* what;
  const char* hint;
};

TEST(Conform, RefusesWithTheReasonThePlaceAndTheHint) {
  for (const Refused& refused : {
           Refused{"made_up/v f32 S=5 H=4 HK=2 causal=1", "'init' is missing", "made_up takes S, H, HK, causal, init"},
           Refused{"made_up/v f32 S=5 HK=2 causal=1 init=zero", "'H' is missing", "made_up takes S, H, HK"},
           Refused{"made_up/v f32 S=5 H=4 HK=2 D=1 causal=1 init=zero", "column 28: made_up has no 'D'",
                   "it takes S, H"},
           Refused{"made_up/v f32 S=1001 H=4 HK=2 causal=1 init=zero", ">>S=1001<<", "whole number from 0 to 1000"},
           Refused{"made_up/v f32 S=-1 H=4 HK=2 causal=1 init=zero", ">>S=-1<<", "S (tokens) takes"},
           Refused{"made_up/v f32 S=1 H=0 HK=2 causal=1 init=zero", ">>H=0<<", "from 1 to"},
           Refused{"made_up/v f32 S=1.5 H=4 HK=2 causal=1 init=zero", ">>S=1.5<<", "whole number"},
           Refused{"made_up/v f32 S=1 H=99999999999999999999 HK=2 causal=1 init=zero", "'H' is outside", "H (heads)"},
           Refused{"made_up/v f32 S=1 H=4 HK=2 causal=yes init=zero", ">>causal=yes<<", "is one of 0, 1"},
           Refused{"made_up/v f32 S=1 H=4 HK=2 causal=1 init=zero fill=nan", "does not admit", "use one of all_equal"},
           Refused{"made_up/v f32 S=1 H=4 HK=2 causal=1 init=zero fill=odd", "unknown fill: ", "use one of all_equal"},
           Refused{"made_up/v f16 S=1 H=4 HK=2 causal=1 init=zero", "made_up is not defined for f16", "f32, bf16"},
           Refused{"made_up/v f32 S=1 H=4 HK=3 causal=1 init=zero", "H is no multiple of HK", "take HK = 4"},
           Refused{"made_up/v f32 S=1000 H=1099511627776 HK=1 causal=1 init=zero", "more than", "make a dim smaller"},
       }) {
    const auto c = conforming(refused.line);
    ASSERT_FALSE(c) << refused.line;
    EXPECT_THAT(c.error().what, HasSubstr(refused.what)) << refused.line;
    EXPECT_THAT(c.error().hint, HasSubstr(refused.hint)) << refused.line;
  }
}

TEST(Conform, AcceptsTheEndsOfDomains) {
  EXPECT_TRUE(conforming("made_up/v f32 S=0 H=1 HK=1 causal=0 init=random"));
  EXPECT_TRUE(conforming("made_up/v f32 S=1000 H=1 HK=1 causal=0 init=random"));
}

TEST(Conform, AnOptionalAttributeThatALineLeavesOutIsTheFirstChoice) {
  Contract contract = test_contract();
  contract.attrs.push_back({.name = "causal_too", .meaning = "newer", .choices = {"no", "yes"}, .optional = true});
  const auto conforming = [&](const std::string& line) { return conform(contract, *parse_case(line), line); };
  const auto without = conforming("made_up/v f32 S=5 H=4 HK=2 causal=1 init=zero");
  ASSERT_TRUE(without) << without.error().line();
  EXPECT_EQ(without->text("causal_too"), "no");
  const auto again = conforming(print(*without));
  ASSERT_TRUE(again) << again.error().line();
  EXPECT_EQ(*again, *without);
  EXPECT_EQ(conforming("made_up/v f32 S=5 H=4 HK=2 causal=1 init=zero causal_too=yes")->text("causal_too"), "yes");
  EXPECT_FALSE(conforming("made_up/v f32 S=5 H=4 HK=2 causal=1 init=zero causal_too=perhaps"));
}

TEST(Contract, ShapesAreProductsOfDimsAndNumbers) {
  const Contract contract = test_contract();
  const Case c = *conforming("made_up/v bf16 S=5 H=4 HK=2 causal=1 init=zero");
  EXPECT_THAT(shape_of(contract.tensors[0], c), ElementsAre(5, 32));
  EXPECT_THAT(shape_of(contract.tensors[1], c), ElementsAre(5, 16));
  EXPECT_THAT(shape_of(contract.tensors[3], c), ElementsAre(40, 3));
  EXPECT_THAT(shape_of(contract.tensors[4], c), ElementsAre(1));
  EXPECT_EQ(element_count(contract, c), 160 + 80 + 5 + 120 + 1 + 2);
  // Once for inputs and outputs, twice for what is both read and written.
  EXPECT_EQ(compulsory_bytes(contract, c), 160 * 2 + 80 * 2 + 5 * 4 + 120 * 2 + 2 * 4 + 2 * 2 * 2);
}

TEST(Contract, AnExtentMayBeAnAttributeThatNamesADim) {
  Contract contract = test_contract();
  contract.attrs.push_back({.name = "extent", .meaning = "of a broadcast tensor", .choices = {"1", "H", "2*S"}});
  TensorSpec spec{.name = "bias", .shape = {"extent", "S"}};
  const auto shape = [&](const std::string& extent) {
    const std::string line = "made_up/v f32 S=5 H=4 HK=2 causal=1 init=zero extent=" + extent;
    return shape_of(spec, *conform(contract, *parse_case(line), line));
  };
  EXPECT_THAT(shape("1"), ElementsAre(1, 5));
  EXPECT_THAT(shape("H"), ElementsAre(4, 5));
  EXPECT_THAT(shape("2*S"), ElementsAre(10, 5));
}

TEST(Contract, ShapeAndDtypeMayDependOnTheCase) {
  const TensorSpec spec{.name = "gradient",
                        .shape_by = [](const Case& c) { return ShapeText{c.text("causal") == "1" ? "S" : "0"}; },
                        .dtype_by = [](const Case& c) { return c.text("init") == "zero" ? DType::f32 : c.dtype; }};
  const Case a = *conforming("made_up/v bf16 S=5 H=4 HK=2 causal=1 init=zero");
  const Case b = *conforming("made_up/v bf16 S=5 H=4 HK=2 causal=0 init=random");
  EXPECT_THAT(shape_of(spec, a), ElementsAre(5));
  EXPECT_THAT(shape_of(spec, b), ElementsAre(0));
  EXPECT_EQ(dtype_of(spec, a), DType::f32);
  EXPECT_EQ(dtype_of(spec, b), DType::bf16);
}

TEST(Contract, AbsurdDimsCountAsTheLargestNumber) {
  const Contract contract = test_contract();
  Case c = *conforming("made_up/v f32 S=5 H=4 HK=2 causal=1 init=zero");
  for (const char* dim : {"S", "H", "HK"}) c.set(dim, "1099511627776");
  EXPECT_EQ(element_count(contract, c), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(compulsory_bytes(contract, c), std::numeric_limits<int64_t>::max());
}

TEST(Contract, AdmitsFillsByWhatTheyContain) {
  Contract contract = test_contract();
  EXPECT_FALSE(admits(contract, *find_fill("nan")));
  EXPECT_TRUE(admits(contract, *find_fill("infinities")));
  contract.admits_infinity = false;
  EXPECT_FALSE(admits(contract, *find_fill("infinities")));
  EXPECT_TRUE(admits(contract, *find_fill("normal")));
}

}  // namespace
}  // namespace assay
