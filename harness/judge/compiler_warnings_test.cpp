// Warnings are quoted where they may be the reason of what is wrong, and nowhere else.
#include "harness/op/compiler_warnings.h"

#include <gmock/gmock.h>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kUninitialized = "my.cu:3:1: warning: 'sum' may be used uninitialized [-Wmaybe-uninitialized]\n";
constexpr const char* kNarrowed =
    "my.cu:4:1: warning: conversion from 'long int' to 'short int' may change value [-Wconversion]\n"
    "my.cu:5:1: warning: conversion from 'long int' to 'uint32_t' {aka 'unsigned int'} may change value "
    "[-Wconversion]\n"
    "my.cu:6:1: warning: conversion from 'double' to 'float' may change value [-Wconversion]\n";

// The detail of a finding of the kind for a variant with these warnings, in a case of rows × 10 elements.
std::string detail(const std::string& warnings, Kind kind, int64_t rows = 1) {
  const Contract contract = judged_contract();
  Variant variant;
  variant.op = contract.name, variant.name = "warned";
  note_compiler_warnings(variant.op, variant.name, variant.device, warnings);
  const auto c = parse_case("triple_and_total/warned f32 rows=" + std::to_string(rows) +
                            " cols=10 init=zero fill=integers seed=1 schedule=0");
  const Trial trial(contract, variant, *c);
  Findings findings = {{Kind::nondeterministic, "another"}, {kind, "wrong"}};
  judge::compiler_warnings(trial, findings);
  EXPECT_EQ(findings[0].detail, "another") << "the worst one has it";
  return findings[1].detail;
}

TEST(QuotedWarnings, AreOfVariablesWithoutAValueWhereResultsAreWrong) {
  EXPECT_EQ(detail(kUninitialized, Kind::mismatch),
            "wrong; the compiler warns, my.cu:3: 'sum' may be used uninitialized [-Wmaybe-uninitialized]");
  EXPECT_THAT(detail(kUninitialized, Kind::nonfinite), HasSubstr("my.cu:3"));
  EXPECT_EQ(detail(kUninitialized, Kind::barrier), "wrong");
  EXPECT_EQ(detail(kUninitialized, Kind::race), "wrong");
}

TEST(QuotedWarnings, AreOfNarrowedIndicesInCasesThatOutgrowThem) {
  EXPECT_EQ(detail(kNarrowed, Kind::out_of_bounds), "wrong");
  EXPECT_THAT(detail(kNarrowed, Kind::out_of_bounds, 4000), HasSubstr("my.cu:4: conversion"));
  EXPECT_THAT(detail(kNarrowed, Kind::out_of_bounds, 4000), Not(HasSubstr("my.cu:5")));
  EXPECT_THAT(detail(kNarrowed, Kind::mismatch, 4000), EndsWith("may change value [-Wconversion]"));
}

TEST(QuotedWarnings, AreThreeAtMostAndNoneOfOtherKinds) {
  std::string many = "my.cu:1:1: warning: unused variable 'x' [-Wunused-variable]\n";
  for (int line = 2; line < 12; ++line) many += "my.cu:" + std::to_string(line) + ": warning: x [-Wuninitialized]\n";
  const std::string said = detail(many, Kind::mismatch);
  EXPECT_THAT(said, HasSubstr("my.cu:4: x"));
  EXPECT_THAT(said, Not(HasSubstr("my.cu:5: x")));
  EXPECT_THAT(said, Not(HasSubstr("unused")));
}

}  // namespace
}  // namespace assay
