// Finding NVIDIA's Python packages, in a made-up tree of each layout.
#include "harness/device/cuda/library_folders.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "harness/base/command.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class LibraryFoldersTest : public testing::Test {
 protected:
  LibraryFoldersTest() : root_(fs::path(testing::TempDir()) / ("assay_libraries_" + name())) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    environment_["PATH"] = root("/usr/bin");
  }
  ~LibraryFoldersTest() override { fs::remove_all(root_); }

  static std::string name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  std::string root(const std::string& path) const { return root_.string() + path; }

  void file(const std::string& path) const {
    fs::create_directories(fs::path(root(path)).parent_path());
    std::ofstream(root(path)) << "x";
  }
  void link(const std::string& path, const std::string& to) const {
    fs::create_directories(fs::path(root(path)).parent_path());
    fs::create_symlink(root(to), root(path));
  }
  LibraryFolders search() const {
    return library_folders({.environment = [this](const char* variable) -> const char* {
                              const auto found = environment_.find(variable);
                              return found == environment_.end() ? nullptr : found->second.c_str();
                            },
                            .python_path = [this] { return python_path_; },
                            .root = root("")});
  }

  const fs::path root_;
  std::map<std::string, std::string> environment_;
  std::vector<std::string> python_path_;
};

TEST_F(LibraryFoldersTest, WheelsOfCuda12HaveAFolderEach) {
  file("/usr/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12");
  file("/usr/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_THAT(search().folders, ElementsAre(root("/usr/lib/python3.12/site-packages/nvidia/cublas/lib"),
                                            root("/usr/lib/python3.12/site-packages/nvidia/cudnn/lib")));
}

TEST_F(LibraryFoldersTest, WheelsOfCuda13ShareOne) {
  file("/usr/local/lib/python3.13/dist-packages/nvidia/cu13/lib/libcublas.so.13");
  file("/usr/local/lib/python3.13/dist-packages/nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_THAT(search().folders, ElementsAre(root("/usr/local/lib/python3.13/dist-packages/nvidia/cu13/lib"),
                                            root("/usr/local/lib/python3.13/dist-packages/nvidia/cudnn/lib")));
}

// The python3 of a virtual environment that is on PATH, and not activated, is a link out of it.
TEST_F(LibraryFoldersTest, AnEnvironmentIsFoundByThePathAsItIsCalled) {
  file("/opt/python/bin/python3.11");
  link("/opt/env/bin/python3", "/opt/python/bin/python3.11");
  file("/opt/env/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13");
  file("/opt/python/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9");
  environment_["PATH"] = root("/nothing") + ":" + root("/opt/env/bin");
  EXPECT_THAT(search().folders, ElementsAre(root("/opt/env/lib/python3.11/site-packages/nvidia/cu13/lib"),
                                            root("/opt/python/lib/python3.11/site-packages/nvidia/cudnn/lib")));
}

TEST_F(LibraryFoldersTest, AnActiveEnvironmentComesBeforeTheSystem) {
  file("/usr/lib/python3/dist-packages/nvidia/cublas/lib/libcublas.so.12");
  file("/home/me/env/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12");
  environment_["VIRTUAL_ENV"] = root("/home/me/env");
  EXPECT_THAT(search().folders, ElementsAre(root("/home/me/env/lib/python3.11/site-packages/nvidia/cublas/lib"),
                                            root("/usr/lib/python3/dist-packages/nvidia/cublas/lib")));
}

TEST_F(LibraryFoldersTest, CondaHasThemInItsOwnLib) {
  file("/opt/conda/envs/a/lib/libcublas.so.12");
  file("/opt/conda/envs/a/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9");
  environment_["CONDA_PREFIX"] = root("/opt/conda/envs/a");
  EXPECT_THAT(search().folders, ElementsAre(root("/opt/conda/envs/a/lib/python3.12/site-packages/nvidia/cudnn/lib"),
                                            root("/opt/conda/envs/a/lib")));
}

TEST_F(LibraryFoldersTest, TheUsersOwnPackages) {
  file("/home/me/.local/lib/python3.10/site-packages/nvidia/cublas/lib/libcublas.so.12");
  file("/home/me/base/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.9");
  environment_["HOME"] = root("/home/me");
  environment_["PYTHONUSERBASE"] = root("/home/me/base");
  EXPECT_THAT(search().folders, ElementsAre(root("/home/me/base/lib/python3.10/site-packages/nvidia/cudnn/lib"),
                                            root("/home/me/.local/lib/python3.10/site-packages/nvidia/cublas/lib")));
}

TEST_F(LibraryFoldersTest, RedHatHasThemInLib64) {
  file("/usr/lib64/python3.9/site-packages/nvidia/cublas/lib/libcublas.so.12");
  EXPECT_THAT(search().folders, ElementsAre(root("/usr/lib64/python3.9/site-packages/nvidia/cublas/lib")));
}

// On PATH is a script, which tells nothing of where the packages are; python3 itself does.
TEST_F(LibraryFoldersTest, BehindAShimPythonIsAsked) {
  file("/home/me/.pyenv/shims/python3");
  file("/home/me/.pyenv/versions/3.11.7/lib/python3.11/site-packages/nvidia/cu13/lib/libcublas.so.13");
  environment_["PATH"] = root("/home/me/.pyenv/shims");
  EXPECT_THAT(search().folders, IsEmpty());
  python_path_ = {"", root("/home/me/.pyenv/versions/3.11.7/lib/python3.11/site-packages")};
  EXPECT_THAT(search().folders,
              ElementsAre(root("/home/me/.pyenv/versions/3.11.7/lib/python3.11/site-packages/nvidia/cu13/lib")));
}

TEST_F(LibraryFoldersTest, WhatHasNoneIsSaid) {
  file("/usr/lib/python3/dist-packages/six.py");
  EXPECT_THAT(search().folders, IsEmpty());
  EXPECT_THAT(search().without, ElementsAre(root("/usr/lib/python3/dist-packages")));
}

TEST(RealSearchInputs, AskTheInstalledPython) {
  const auto ran = run_process({.words = {"python3", "-c", ""}});
  if (!ran || !ran->end.ok()) GTEST_SKIP() << "there is no python3";
  EXPECT_THAT(real_search_inputs().python_path(), Contains(testing::HasSubstr("python3")));
}

}  // namespace
}  // namespace assay
