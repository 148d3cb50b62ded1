// Pieces of text in their order, and what is not there.
#include "harness/base/scanner.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Scanner, ReadsPieceByPiece) {
  Scanner scan("==> used 40 of_them \t; rest");
  EXPECT_FALSE(scan.skip("used"));
  EXPECT_TRUE(scan.skip("==> "));
  EXPECT_TRUE(scan.skip_past("used "));
  EXPECT_FALSE(scan.skip_past("used "));
  EXPECT_EQ(scan.word(), "40");
  EXPECT_EQ(scan.digits(), "");
  EXPECT_EQ(scan.blanks(), " ");
  EXPECT_EQ(scan.word(), "of_them");
  EXPECT_EQ(scan.blanks(), " \t");
  EXPECT_EQ(scan.take([](char c) { return c != 'r'; }), "; ");
  EXPECT_EQ(scan.rest(), "rest");
  EXPECT_FALSE(scan.at_end());
  scan.go_to(1000);
  EXPECT_TRUE(scan.at_end());
  EXPECT_EQ(scan.word(), "");
}

TEST(Scanner, Trims) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace assay
