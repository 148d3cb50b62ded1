// In which folder of a repository a header is looked for.
#include "harness/adapter/read/near_headers.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

class NearHeaders : public testing::Test {
 protected:
  void make(const std::string& path) const {
    std::filesystem::create_directories(
        (scratch_.path + "/" + path).substr(0, (scratch_.path + "/" + path).rfind('/')));
    std::ofstream(scratch_.path + "/" + path) << "\n";
  }
  // Below the repository; "" for none.
  std::string folder(const std::string& header) const {
    const auto found = folder_near(header, scratch_.path + "/ops/norm/k.cu");
    return found ? std::filesystem::path(*found).lexically_relative(scratch_.path).string() : "";
  }
  selftest::Scratch scratch_;
};

TEST_F(NearHeaders, AreInFoldersOfUsualNamesFirst) {
  make(".git/HEAD"), make("include/a.h"), make("other/a.h");
  EXPECT_EQ(folder("a.h"), "include");
  make("ops/norm/utils/a.h");
  EXPECT_EQ(folder("a.h"), "ops/norm/utils") << "nearer";
}

TEST_F(NearHeaders, AreInTheFoldersAboveOfAFileInNoRepository) {
  make("ops/norm/k.cu"), make("ops/a.h"), make("include/b.h");
  EXPECT_EQ(folder("a.h"), "ops/");
  EXPECT_EQ(folder("b.h"), "include");
  const auto from = [&](const std::string& file) { return folder_near("b.h", scratch_.path + "/" + file).has_value(); };
  EXPECT_TRUE(from("x/y/k.cu"));
  EXPECT_FALSE(from("x/y/z/k.cu")) << "too far for one project";
}

TEST_F(NearHeaders, AreElsewhereWhereThereIsOneOnly) {
  make("Common/include/short/a.h"), make("ops/norm/k.cu");
  EXPECT_EQ(folder("short/a.h"), "") << "nobody says that this is one project";
  make(".git/HEAD");
  EXPECT_EQ(folder("short/a.h"), "Common/include");
  EXPECT_EQ(folder("ort/a.h"), "") << "a part of a name";
  make(".git/short/a.h"), make(".cache/short/a.h");
  EXPECT_EQ(folder("short/a.h"), "Common/include") << "nobody keeps headers there";
  make("old/short/a.h");
  EXPECT_EQ(folder("short/a.h"), "") << "which of them, nobody knows";
  make("ops/cuda/short/a.h");
  EXPECT_EQ(folder("short/a.h"), "ops/cuda") << "of the same part of the repository";
  make("ops/cpu/short/a.h");
  EXPECT_EQ(folder("short/a.h"), "");
}

}  // namespace
}  // namespace assay
