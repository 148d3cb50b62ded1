// Tests that short quotes stay as they are, and that long ones are cut once, between characters.
#include "harness/cli/long_quotes.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(LongQuotes, ShortTextStaysAsItIs) {
  for (const std::string text : {"", "\n", "no op 'x'; did you mean 'y'?\n", "the case's dtype is 'f32", "a\n\nb"})
    EXPECT_EQ(without_long_quotes(text), text);
}

TEST(LongQuotes, QuotesWordsAndLinesAreCut) {
  std::string blanks;
  for (int i = 0; i < 50'000; ++i) blanks += "x ";
  for (const std::string& quoted : {std::string(100'000, 'x'), blanks}) {
    const std::string cut = without_long_quotes("no op '" + quoted + "'; see `assay list`");
    EXPECT_LT(cut.size(), 300u);
    EXPECT_THAT(cut, testing::AllOf(StartsWith("no op 'x"), EndsWith("'; see `assay list`")));
  }
  EXPECT_LT(without_long_quotes(blanks).size(), 1600u);
  EXPECT_LT(without_long_quotes("a " + std::string(1000, 'x') + " b").size(), 210u);
}

TEST(LongQuotes, CutsLieBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "é漢";
  for (const char* before : {"", "a", "ab", "abc", "abcd"}) {
    std::string cut = without_long_quotes(before + text);
    EXPECT_LT(cut.size(), 300u);
    for (const char* whole : {"é", "漢", "…", "a", "b", "c", "d"})
      for (size_t at; (at = cut.find(whole)) != std::string::npos;) cut.erase(at, std::string(whole).size());
    EXPECT_EQ(cut, "");
  }
}

}  // namespace
}  // namespace assay
