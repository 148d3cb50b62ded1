// The examples of the README and of every page of docs/ run and print what the pages show, and the runner notices where
// they do not.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "harness/selftest/markdown_examples.h"

namespace assay::selftest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The README, then the pages of docs/, by their paths.
std::map<std::string, std::string> pages() {
  std::map<std::string, std::string> all{{"README.md", read_text(ASSAY_SOURCE_DIR "/README.md")}};
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md") all["docs/" + entry.path().filename().string()] = read_text(entry.path());
  return all;
}

// A push runs those of the README, and of one page in four.
TEST(Pages, TheirExamplesRunAsTheyShowThem) {
  std::set<std::string> run;
  for (const auto& [path, text] : pages()) {
    for (const MarkdownBlock& block : fenced_blocks(text))
      if (!block.example.empty() && block.language == "console") run.insert(block.example);
    if (path != "README.md" && left_to_the_night(path)) continue;
    EXPECT_THAT(run_examples(text), IsEmpty()) << path;
  }
  EXPECT_THAT(run, testing::IsSupersetOf({"own_kernel", "own_op"})) << "these were marked";
}

// The README shows an excerpt of an example, without the compiler runs that it takes.
TEST(Pages, TheReadmeShowsWhatAPageDoes) {
  std::set<std::string> shown;
  for (const auto& [path, text] : pages())
    for (const MarkdownBlock& block : fenced_blocks(text))
      if (!block.example.empty()) shown.insert(block.lines.begin(), block.lines.end());
  int64_t lines = 0;
  for (const MarkdownBlock& block : fenced_blocks(pages().at("README.md")))
    for (const std::string& line : block.lines) {
      EXPECT_TRUE(shown.contains(line)) << line;
      ++lines;
    }
  EXPECT_GE(lines, 3);
}

// A page with one example; `fence` and `body` are its last block.
std::string page(const std::string& fence, const std::string& body) {
  return "# Page\n\n<!-- test: own -->\n\n```text title=words.txt\none\ntwo\n```\n\n<!-- test: own -->\n" + fence +
         "\n" + body + "\n```\n";
}

TEST(MarkdownExamples, FindsBlocksWithSectionExampleAndLine) {
  const auto blocks = fenced_blocks(page("```console", "$ cat words.txt") + "## More\n```cpp\nint x;\n```\n");
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].title, "words.txt");
  EXPECT_THAT(blocks[0].lines, ElementsAre("one", "two"));
  EXPECT_EQ(blocks[1].language, "console");
  EXPECT_EQ(blocks[1].example, "own");
  EXPECT_EQ(blocks[1].line, 11);
  EXPECT_EQ(blocks[2].section, "More");
  EXPECT_EQ(blocks[2].example, "") << "a mark is for one block";
}

TEST(MarkdownExamples, ComplainsOfNothingElseThanTheOutputThatDiffers) {
  const auto after = [](const std::string& body) { return run_examples(page("```console", body)); };
  EXPECT_THAT(after("$ cat words.txt\none\ntwo\n$ test -e words.txt"), IsEmpty());
  EXPECT_THAT(after("$ cat words.txt\no…\n…"), IsEmpty());
  EXPECT_THAT(after("$ cat words.txt\n…\ntwo"), IsEmpty());
  EXPECT_THAT(after("$ cat none.txt\ncat: …"), IsEmpty()) << "standard error is output too";
  EXPECT_THAT(after("$ cat words.txt\none"), ElementsAre(HasSubstr("line 11, section 'Page': $ cat words.txt")));
  EXPECT_THAT(after("$ cat words.txt\none\ntwo\nthree"), ElementsAre(HasSubstr("exited with 0 and printed\none\ntwo")));
  EXPECT_THAT(after("$ cat words.txt\none\nt…e"), testing::SizeIs(1));
  EXPECT_THAT(after("$ false"), ElementsAre(HasSubstr("exited with 1")));
  EXPECT_THAT(after("no command"), ElementsAre(HasSubstr("without a $ command")));
}

TEST(MarkdownExamples, ComplainsOfBlocksThatWouldNotBeRun) {
  EXPECT_THAT(run_examples("```console\n$ true\n```\n"), ElementsAre(HasSubstr("line 1: this block needs")));
  EXPECT_THAT(run_examples("```toml title=a.toml\n```\n"), ElementsAre(HasSubstr("line 1: this block needs")));
  EXPECT_THAT(run_examples(page("```cpp", "int x;")), ElementsAre(HasSubstr("line 11: a marked block has a title")));
  EXPECT_THAT(run_examples("```cpp\nint x;\n```\n"), IsEmpty());
}

}  // namespace
}  // namespace assay::selftest
