// Text that others wrote is shown, and does nothing.
#include "harness/base/printable.h"

#include <gtest/gtest.h>

#include "harness/base/command.h"

namespace assay {
namespace {

TEST(Printable, KeepsTextAndShowsTheRest) {
  EXPECT_EQ(printable("tab\tline\nµ → 漢 😀"), "tab\tline\nµ → 漢 😀");
  EXPECT_EQ(printable("\x1b[2J\x7f\x01"), "\\x1b[2J\\x7f\\x01");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a C1 control: CSI
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc0\xaf\xf5\xe2\x82"), "\\xc0\\xaf\\xf5\\xe2\\x82");
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");
  EXPECT_EQ(printable("a\u202eb\u2066c\u200bd\ufeff"),
            "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c\\xe2\\x80\\x8bd\\xef\\xbb\\xbf");
}

TEST(Printable, AShellReadsQuotedWordsBack) {
  for (const std::string word :
       {"plain-1.cu", "", "it's $HOME `x` \"y\" \\ ;#%", "line\nend", "\x1b[31m'\\1", "\u202e9", "\xff"}) {
    const auto ran = run_process({.words = {"/bin/bash", "-c", "printf '%s|' " + shell_quoted(word)}});
    EXPECT_EQ(ran->output, word + "|") << shell_quoted(word);
    EXPECT_EQ(printable(shell_quoted(word)), shell_quoted(word));
    EXPECT_EQ(shell_quoted(word).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace assay
