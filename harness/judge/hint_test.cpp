// Tests that a hint is found again as it was written.
#include "harness/judge/hint.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

TEST(Hint, IsReadAsItWasWritten) {
  const std::vector<std::string> declared = {"rounds = [\"p\"]", "rounds = [\"ds\"]"};
  const std::string detail = "y: 1 of 2 elements are wrong" + hint_of("`p` is rounded to bf16", declared) + "; more";
  EXPECT_EQ(hinted_declarations(detail), declared);
  EXPECT_EQ(without_hint(detail), "y: 1 of 2 elements are wrong; more");
  EXPECT_THAT(hinted_declarations("y: 1 of 2 elements are wrong"), testing::IsEmpty());
  EXPECT_EQ(without_hint("y: wrong"), "y: wrong");
}

}  // namespace
}  // namespace assay
