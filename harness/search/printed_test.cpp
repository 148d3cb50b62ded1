// Tests what is kept of a text, and that it does not depend on how the text comes.
#include "harness/search/printed.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

std::string numbered(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(Printed, ShortTextsAreKeptAsTheyAre) {
  for (const std::string text : {"", "a", "a\n", "a\n\nb", "\n"}) {
    Printed printed;
    printed.add(text);
    EXPECT_EQ(printed.text(), text);
  }
  Printed printed;
  printed.add(numbered(2 * Printed::kLinesMax));
  EXPECT_EQ(printed.text(), numbered(2 * Printed::kLinesMax));
  EXPECT_EQ(printed.lines(), 2 * Printed::kLinesMax);
}

TEST(Printed, LongTextsLoseTheirMiddle) {
  Printed printed;
  printed.add(numbered(100'000));
  EXPECT_EQ(printed.lines(), 100'000);
  EXPECT_THAT(printed.text(), testing::StartsWith("line 0\n"));
  EXPECT_THAT(printed.text(), testing::HasSubstr("line 99\n… 99800 lines are left out …\nline 99900\n"));
  EXPECT_THAT(printed.text(), testing::EndsWith("line 99999\n"));
}

TEST(Printed, ALineWithoutEndHasALimit) {
  Printed printed;
  for (int i = 0; i < 100; ++i) printed.add(std::string(Printed::kBytesMax, 'x'));
  EXPECT_EQ(printed.lines(), 1);
  EXPECT_LE(printed.text().size(), 3 * Printed::kBytesMax);
}

TEST(Printed, TakesTheLastLineThatIsNotBlank) {
  Printed printed;
  printed.add("first\nsecond\n\n \nthird");
  EXPECT_EQ(printed.take_last_line(), "third");
  EXPECT_EQ(printed.take_last_line(), "second");
  EXPECT_EQ(printed.text(), "first\n");
  EXPECT_EQ(printed.lines(), 1);
  EXPECT_EQ(printed.take_last_line(), "first");
  EXPECT_EQ(printed.take_last_line(), "");
  EXPECT_EQ(printed.lines(), 0);
}

RC_GTEST_PROP(Printed, does_not_depend_on_the_pieces, (const std::vector<uint8_t>& lengths)) {
  std::string text;
  const int64_t times = *rc::gen::inRange(1, 60);
  for (int64_t i = 0; i < times; ++i)
    for (const uint8_t length : lengths) text += std::string(length, 'x') + "\n";
  Printed at_once, in_pieces;
  at_once.add(text);
  for (size_t at = 0, piece = 1; at < text.size(); at += piece, piece = piece * 7 % 4099)
    in_pieces.add(std::string_view(text).substr(at, piece));
  RC_ASSERT(at_once.lines() == in_pieces.lines());
  RC_ASSERT(at_once.text() == in_pieces.text());
}

}  // namespace
}  // namespace assay
