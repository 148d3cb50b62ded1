// Files of launches: what is written is read back, and what is no such file, or no longer, is refused.
#include "harness/program/saved_launch.h"

#include <gmock/gmock.h>

#include <fstream>

#include "harness/program/output_differences.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

SavedLaunch example() {
  return {.program = "/bin/train",
          .where = "launch 3: scale(float*), grid 4, block 32",
          .kernel = "_Z5scalePf",
          .grid = {4, 1, 1},
          .block = {32, 1, 1},
          .shared_bytes = 128,
          .schedule = 7,
          .is_observed = true,
          .arguments = {std::string("\0\0\1\0\0\0\0\0", 8)},
          .arena_begin = 0x10000,
          .arena_bytes = 0x100000,
          .memories = {{.name = "memory 1 of cudaMalloc",
                        .address = 0x10000,
                        .bytes = 64,
                        .accessed = {{0, 12}, {20, 4}},
                        .with_value = {{4, 8}},
                        .before = "abcdefgh",
                        .written = {{20, 4}},
                        .after = "wxyz"},
                       {.name = "memory 2 (freed)", .address = 0x20000}},
          .variables = {{"total", "1234", "5678"}},
          .pointers = {{.argument = 0, .at = 0, .variable = "total", .offset = 2}},
          .ptx = {".version 8.0\n"},
          .registered_variables = {"total"}};
}

class SavedLaunchFile : public ::testing::Test {
 protected:
  std::string written(const SavedLaunch& launch) const {
    EXPECT_TRUE(write_launch(path_, launch));
    return selftest::read_text(path_);
  }
  std::string error_of(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    const auto launch = read_launch(path_);
    return launch ? "" : launch.error().line();
  }
  selftest::Scratch scratch_;
  std::string path_ = scratch_.path + "/one.launch";
};

TEST_F(SavedLaunchFile, WhatIsWrittenIsReadBack) {
  written(example());
  const auto launch = read_launch(path_);
  ASSERT_TRUE(launch) << launch.error().line();
  const SavedLaunch want = example();
  EXPECT_EQ(launch->where, want.where);
  EXPECT_EQ(launch->kernel, want.kernel);
  EXPECT_EQ(launch->grid, want.grid);
  EXPECT_EQ(launch->shared_bytes, 128u);
  EXPECT_EQ(launch->schedule, 7u);
  EXPECT_TRUE(launch->is_observed);
  EXPECT_EQ(launch->arguments, want.arguments);
  ASSERT_EQ(launch->memories.size(), 2u);
  EXPECT_EQ(launch->memories[0].accessed, want.memories[0].accessed);
  EXPECT_EQ(launch->memories[0].with_value, want.memories[0].with_value);
  EXPECT_EQ(launch->memories[0].before, "abcdefgh");
  EXPECT_EQ(launch->memories[0].after, "wxyz");
  EXPECT_EQ(launch->memories[1].address, 0x20000u);
  EXPECT_EQ(launch->variables[0].after, "5678");
  EXPECT_EQ(launch->pointers[0].place, SavedPointer::kArguments);
  EXPECT_EQ(launch->pointers[0].offset, 2u);
  EXPECT_EQ(launch->ptx, want.ptx);
}

TEST_F(SavedLaunchFile, NoCutAndNoChangedByteGoesUnnoticed) {
  const std::string bytes = written(example());
  for (size_t size = 1; size < bytes.size(); size += 7)
    EXPECT_THAT(error_of(bytes.substr(0, size)), HasSubstr("cut off")) << size;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::ofstream(path_, std::ios::binary) << changed;
    // A bit that unpacking does not need may change, and what is read is the same then.
    const auto launch = read_launch(path_);
    EXPECT_TRUE(!launch || written(*launch) == bytes) << at;
  }
  EXPECT_NE(error_of(bytes + "x"), "");
}

TEST_F(SavedLaunchFile, OtherFilesAndVersionsAreToldApart) {
  EXPECT_THAT(error_of("softmax_forward/x f32"), HasSubstr("is no launch that `assay run --capture` has written"));
  EXPECT_THAT(error_of(""), HasSubstr("is no launch"));
  std::string newer = written(example());
  newer[12] = 2;
  EXPECT_THAT(error_of(newer), HasSubstr("is of version 2, and this assay reads version 1"));
  const auto none = read_launch(scratch_.path + "/none.launch");
  ASSERT_FALSE(none);
  EXPECT_FALSE(read_launch(scratch_.path)) << "a folder";
  EXPECT_THAT(none.error().line(), HasSubstr("No such file"));
}

TEST_F(SavedLaunchFile, AFileWhoseOffsetsLeadOutsideIsRefused) {
  const auto refused = [&](auto change) {
    SavedLaunch launch = example();
    change(launch);
    EXPECT_THAT(error_of(written(launch)), HasSubstr("does not hold what a launch needs"));
  };
  refused([](SavedLaunch& each) { each.memories[0].written[0].begin = 61; });
  refused([](SavedLaunch& each) { each.memories[0].before += "i"; });
  refused([](SavedLaunch& each) { each.memories[1].address = each.arena_begin + each.arena_bytes + 1; });
  refused([](SavedLaunch& each) { each.memories[1].address = each.memories[0].address + 8; });
  refused([](SavedLaunch& each) { each.pointers[0].argument = 1; });
  refused([](SavedLaunch& each) { each.pointers[0].at = 1; });
  refused([](SavedLaunch& each) { each.variables[0].after = ""; });
}

TEST(OutputDifferences, AreToldByWordsWithTheFirst) {
  alignas(4) char now[12] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'};
  SavedMemory memory{.name = "memory 1",
                     .address = reinterpret_cast<uint64_t>(now),
                     .bytes = sizeof now,
                     .accessed = {{0, 8}},
                     .with_value = {{0, 4}},
                     .before = "abcd",
                     .written = {{4, 4}},
                     .after = "efgh"};
  EXPECT_EQ(difference_in(memory, {{4, 4}}), "");
  EXPECT_EQ(difference_in(memory, {{0, 8}}), "") << "it wrote what was there before";
  EXPECT_THAT(difference_in(memory, {{4, 8}}),
              HasSubstr("memory 1: 1 word differs from what the program's run left, the first at byte 8: 0x6c6b6a69"))
      << "which the program's run had not written";
  now[5] = 'F';
  EXPECT_THAT(difference_in(memory, {{4, 4}}), HasSubstr("byte 4: 0x68674665")) << "what it wrote is otherwise";
  EXPECT_THAT(difference_in(memory, {}), HasSubstr("instead of 0x68676665")) << "it did not write it";
}

}  // namespace
}  // namespace assay
