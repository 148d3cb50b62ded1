// The text of a mutant, and its diff.
#include "harness/mutate/kernel_mutant.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const std::string kText = "one\ntwo\nthree\nfour\nfive < six\nseven\neight\nnine\nten\n";

KernelMutant at(const std::string& before, const std::string& replacement) {
  return {.kind = "edge",
          .file = "k.cu",
          .offset = static_cast<int64_t>(kText.find(before)),
          .length = static_cast<int64_t>(before.size()),
          .replacement = replacement,
          .function = "f",
          .line = 5};
}

TEST(KernelMutant, ReplacesItsText) {
  EXPECT_EQ(mutated("a < b", {.offset = 2, .length = 1, .replacement = "<="}), "a <= b");
  EXPECT_EQ(mutated("int i = 0;", {.offset = 5, .length = 4}), "int i;");
  EXPECT_DEATH(mutated("short", {.file = "k.cu", .offset = 3, .length = 3}), "a mutant of another text: k.cu");
}

TEST(KernelMutant, IsShownWithThreeLinesAround) {
  EXPECT_EQ(
      unified_diff(kText, at("<", "<=")),
      "--- k.cu\n+++ k.cu (mutant: edge)\n@@ -2,7 +2,7 @@\n two\n three\n four\n-five < six\n+five <= six\n seven\n"
      " eight\n nine\n");
}

TEST(KernelMutant, IsShownAtTheEndsOfItsFile) {
  EXPECT_EQ(unified_diff(kText, at("one", "1")),
            "--- k.cu\n+++ k.cu (mutant: edge)\n@@ -1,4 +1,4 @@\n-one\n+1\n two\n three\n four\n");
  EXPECT_EQ(unified_diff(kText, at("nine\nten", "9")),
            "--- k.cu\n+++ k.cu (mutant: edge)\n@@ -5,5 +5,4 @@\n five < six\n seven\n eight\n-nine\n-ten\n+9\n");
}

TEST(KernelMutant, IsNamedByItsPlace) { EXPECT_EQ(title(at("<", "<=")), "k.cu:5 in f: edge"); }

}  // namespace
}  // namespace assay
