// The command that runs a row again.
#include "harness/result/replay.h"

#include <gtest/gtest.h>

#include "harness/base/command.h"

namespace assay {
namespace {

ResultRow some_row(const std::string& variant) {
  ResultRow row;
  row.c = *parse_case("op/variant f32 n=1 fill=normal seed=7 schedule=0");
  row.c.variant = variant;
  row.device = "cpu";
  return row;
}

// The words of the command, as a shell sees them.
std::string words_of(const ResultRow& row) {
  return run_process({.words = {"/bin/bash", "-c", "printf '%s|' " + replay_command(row)}})->output;
}

TEST(ReplayCommand, SurvivesTheShell) {
  ResultRow row = some_row("it's $HOME `x` \"y\"");
  row.device = "gpu";
  EXPECT_EQ(words_of(row), "assay|replay|" + row.line() + "|--device|gpu|");
}

TEST(ReplayCommand, NamesEverythingThatTheKernelIsMadeFrom) {
  ResultRow row = some_row("mine");
  row.origin.source = "/a b/my kernel.cu";
  EXPECT_EQ(words_of(row), "assay|replay|" + row.line() + "|--source|/a b/my kernel.cu|--op|op|");
  row.origin.adapter = "/a b/mine.toml";
  row.origin.kernel = "mine";
  row.origin.entry = "the second";
  row.origin.ops = "/my ops";
  row.origin.compile = {"-I", "/my include", "-DN=1"};
  EXPECT_EQ(words_of(row), "assay|replay|" + row.line() +
                               "|--source|/a b/my kernel.cu|--adapter|/a b/mine.toml|--op|op|--kernel|mine|--entry|"
                               "the second|-I|/my include|-DN=1|--ops|/my ops|");
}

TEST(ReplayCommand, KeepsWhatTheVerdictRestsOn) {
  ResultRow row = some_row("mine");
  row.device = "cpu-checked";
  row.options = kStrictBarriers;
  EXPECT_EQ(words_of(row), "assay|replay|" + row.line() + "|--strict-barriers|");
}

}  // namespace
}  // namespace assay
