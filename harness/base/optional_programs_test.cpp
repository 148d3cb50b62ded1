// That programs can be hidden, and that who asks for one is known.
#include "harness/base/optional_programs.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "harness/base/process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class OptionalPrograms : public testing::Test {
 protected:
  void SetUp() override { setenv("ASSAY_ASKED", (folder_ + "/A.Test").c_str(), 1); }
  void TearDown() override {
    unsetenv("ASSAY_WITHOUT");
    asked_ ? setenv("ASSAY_ASKED", asked_->c_str(), 1) : unsetenv("ASSAY_ASKED");
    fs::remove_all(folder_);
  }

  std::string pattern_ = testing::TempDir() + "assay_asked_XXXXXX";
  const std::string folder_ = mkdtemp(pattern_.data());
  const std::optional<std::string> asked_ =
      std::getenv("ASSAY_ASKED") ? std::optional<std::string>(std::getenv("ASSAY_ASKED")) : std::nullopt;
};

TEST_F(OptionalPrograms, AreHiddenByName) {
  EXPECT_NE(find_program("sh"), "");
  EXPECT_TRUE(fs::exists(folder_ + "/A.Test.sh"));
  setenv("ASSAY_WITHOUT", "nvcc sh gdb", 1);
  EXPECT_EQ(find_program("sh"), "");
  EXPECT_TRUE(is_hidden("nvcc"));
  EXPECT_TRUE(fs::exists(folder_ + "/A.Test.nvcc"));
  EXPECT_FALSE(is_hidden("s"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh") << "a path is no question";
  unsetenv("ASSAY_ASKED");
  EXPECT_FALSE(is_hidden("dash")) << "nobody wants to know";
  EXPECT_FALSE(fs::exists(folder_ + "/A.Test.dash"));
}

}  // namespace
}  // namespace assay
