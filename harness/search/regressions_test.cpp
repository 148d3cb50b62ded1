// Saved failures: where repaired ones go, and the patch that brings new ones into a repository.
#include "harness/search/regressions.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::read_text;
using selftest::run_command;
using selftest::Scratch;
using testing::HasSubstr;

void write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

TEST(Regressions, RepairedCasesHaveAFolder) {
  EXPECT_EQ(fixed_folder("cases/regressions"), "cases/fixed");
  EXPECT_EQ(fixed_folder("cases/regressions//"), "cases/fixed");
  EXPECT_EQ(fixed_folder("assay_regressions/my.cu"), "assay_regressions/my.cu/fixed");
}

TEST(Regressions, MovedCasesStayTests) {
  const Scratch scratch;
  const std::string folder = scratch.path + "/regressions";
  write(folder + "/a.case", "op/a f32 seed=1\n");
  write(folder + "/b.case", "op/b f32 seed=1\n");
  const auto moved = move_to_fixed(folder + "/a.case");
  ASSERT_TRUE(moved) << moved.error().line();
  EXPECT_EQ(*moved, scratch.path + "/fixed/a.case");
  const auto all = read_saved({folder});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].line, "op/b f32 seed=1");
  EXPECT_EQ((*all)[1].path, *moved);

  write(folder + "/a.case", "op/a f32 seed=2\n");
  EXPECT_THAT(move_to_fixed(folder + "/a.case").error().line(), HasSubstr("says something else"));
  EXPECT_EQ(read_text(scratch.path + "/fixed/a.case"), "op/a f32 seed=1\n") << "nothing was lost";
}

TEST(Regressions, OfFilesLieBesideThem) {
  const Scratch scratch;
  const std::string file = scratch.path + "/my.cu", saved = regressions_of(file);
  EXPECT_EQ(saved, scratch.path + "/assay_regressions/my.cu");
  EXPECT_EQ(file_of_saved(saved + "/a.case"), "") << "there is no such file";
  write(file, "");
  EXPECT_EQ(file_of_saved(saved + "/a.case"), file);
  EXPECT_EQ(file_of_saved(saved + "/fixed/a.case"), file);
  EXPECT_EQ(file_of_saved(scratch.path + "/my.cu/a.case"), "");
  EXPECT_EQ(file_of_saved(""), "") << "a line that was typed";

  write(saved + "/b.case", "op/b f32 seed=1\n");
  write(saved + "/fixed/a.case", "op/a f32 seed=1\n");
  write(scratch.path + "/assay_regressions/another.cu/c.case", "op/c f32 seed=1\n");
  const auto lines = [](const Result<std::vector<SavedCase>>& cases) {
    std::string all;
    for (const SavedCase& each : cases.value()) all += each.line.substr(3, 1);
    return all;
  };
  EXPECT_EQ(lines(read_regressions(scratch.path + "/assay_regressions")), "cba");
  EXPECT_EQ(lines(read_saved({saved})), "ba") << "what is repaired comes last, and once";
  EXPECT_EQ(lines(read_saved({saved, scratch.path + "/assay_regressions/another.cu"})), "bca");
}

TEST(Regressions, ThePatchAppliesAsItIs) {
  const Scratch scratch;
  EXPECT_EQ(*regressions_patch(scratch.path + "/none", [](const std::string&) { return "cases/regressions"; }), "");
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.case", "# why\nop/a f32 seed=1\n"}, {"b.case", "op/b f32 seed=1"}, {"c.case", "# - + @@\n\nop/c f32\n"}};
  for (const auto& [name, text] : files) write(scratch.path + "/new/" + name, text);
  write(scratch.path + "/night.patch",
        *regressions_patch(scratch.path + "/new", [](const std::string&) { return "cases/regressions"; }));
  const std::string repository = scratch.path + "/repository";
  const auto ran = run_command("mkdir " + repository + " && cd " + repository +
                               " && git init -q . && git apply --whitespace=error-all ../night.patch");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto some = regressions_patch(scratch.path + "/new", [](auto& id) { return id == "op/a" ? "mine" : ""; });
  EXPECT_THAT(*some, testing::AllOf(HasSubstr("b/mine/a.case"), testing::Not(HasSubstr("b.case"))));
  for (const auto& [name, text] : files) EXPECT_EQ(read_text(repository + "/cases/regressions/" + name), text);
}

}  // namespace
}  // namespace assay
