// Tests which lines of a compiler's output are taken as warnings.
#include "harness/op/compiler_warnings.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kOutput = R"(In file included from /tmp/a/kernel0.cu:5:
/home/me/sum.cu: In function 'void sum(const float*, float*, int64_t)':
/home/me/sum.cu:12:9: warning: 'total' may be used uninitialized [-Wmaybe-uninitialized]
   12 |   float total;
      |         ^~~~~
/home/me/sum.cu:15: warning: conversion from 'int64_t' {aka 'long int'} to 'int' may change value [-Wconversion]
/home/me/sum.cu:12:9: warning: 'total' may be used uninitialized [-Wmaybe-uninitialized]
/home/me/sum.cu:20:3: note: 'total' was declared here
/home/me/sum.cu:21:3: error: 'x' was not declared in this scope
cc1plus: warning: command-line option is valid for C but not for C++
)";

TEST(CompilerWarnings, AreReadWithTheirPlaceAndOptionEachOnce) {
  EXPECT_THAT(
      warnings_in(kOutput),
      ElementsAre(
          CompilerWarning{"/home/me/sum.cu:12", "'total' may be used uninitialized", "-Wmaybe-uninitialized"},
          CompilerWarning{"/home/me/sum.cu:15", "conversion from 'int64_t' {aka 'long int'} to 'int' may change value",
                          "-Wconversion"}));
}

TEST(CompilerWarnings, ReadWhatTheyPrint) {
  const auto warnings = warnings_in(kOutput);
  EXPECT_EQ(warnings_in(print(warnings)), warnings);
}

TEST(CompilerWarnings, OfHostileTextAreNone) {
  EXPECT_THAT(warnings_in(""), IsEmpty());
  EXPECT_THAT(warnings_in(": warning: \n: warning:  [-W\n [-Wx]: warning: \n[-W]"), IsEmpty());
}

TEST(CompilerWarnings, BelongToOneBuildOfOneVariant) {
  note_compiler_warnings("an_op", "its_variant", "cpu", kOutput);
  Variant variant;
  variant.op = "an_op", variant.name = "its_variant", variant.device = "cpu";
  EXPECT_EQ(compiler_warnings(variant).size(), 2U);
  variant.device = "gpu";
  EXPECT_THAT(compiler_warnings(variant), IsEmpty());
}

}  // namespace
}  // namespace assay
