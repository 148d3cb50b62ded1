// Files are complete or not there: full disks, forbidden directories and files in the way end in an error that names
// the file and the reason, and leave nothing half-written.
//
// Failing system calls are made, not mocked, where the system can be brought to it: /dev/full is a full disk, and a
// child process without root's rights meets a read-only directory. fsync and close fail by definitions in this program,
// which the dynamic linker prefers to the C library's.
#include "harness/base/write_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "harness/base/command.h"
#include "harness/report/test_golden.h"
#include "harness/report/test_sample_report.h"

namespace fs = std::filesystem;

int g_fsync_error = 0;
int g_close_error = 0;

extern "C" int fsync(int file) {
  if (g_fsync_error != 0) return errno = g_fsync_error, -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}

extern "C" int close(int file) {
  const int result = static_cast<int>(syscall(SYS_close, file));
  if (g_close_error != 0) return errno = g_close_error, -1;
  return result;
}

namespace assay {
namespace {

using testing::HasSubstr;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "assay_write_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    g_fsync_error = g_close_error = 0;
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(directory_), {})); }

  // Runs `body` in a child process, whose exit status reports whether all its expectations held. Root's rights are
  // dropped there on demand, since root may write anywhere.
  template <class Body>
  void in_child(bool drop_root, Body body) {
    const auto in_it = [&] {
      if (drop_root && geteuid() == 0 && setuid(65534) != 0) return 3;
      body();
      return HasFailure() ? 1 : 0;
    };
    const auto ran = run_process({.body = in_it, .output = Redirect::inherited(), .errors = Redirect::inherited()});
    ASSERT_TRUE(ran) << ran.error().line();
    EXPECT_TRUE(ran->end.ok()) << ran->end.text() << "; the child printed why";
  }

  std::string directory_;
};

TEST_F(WriteFile, ReplacesAnOlderFileAndLeavesNothingElse) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  ASSERT_TRUE(write_file(path("a.txt"), "new"));
  EXPECT_EQ(text_of_file(path("a.txt")), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFile, FullDiskAtWriteKeepsTheOlderFile) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  fs::create_symlink("/dev/full", path(".a.txt.partial"));
  const auto written = write_file(path("a.txt"), "new");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().line(),
            "cannot write '" + path("a.txt") +
                "': No space left on device; free some space there, or choose another directory with --out");
  EXPECT_EQ(text_of_file(path("a.txt")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFile, FullDiskAtSyncOrCloseKeepsTheOlderFile) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  for (int* error : {&g_fsync_error, &g_close_error}) {
    *error = ENOSPC;
    const auto written = write_file(path("a.txt"), "new");
    *error = 0;
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().what, HasSubstr("No space left on device"));
    EXPECT_EQ(text_of_file(path("a.txt")), "old");
    EXPECT_EQ(files(), 1u);
  }
}

TEST_F(WriteFile, DiskThatFillsUpHalfWayLeavesNoHalfFile) {
  in_child(false, [&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const auto written = write_file(path("big.txt"), std::string(10000, 'x'));
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().line(), HasSubstr("File too large; raise the limit"));
  });
  EXPECT_EQ(files(), 0u);
}

TEST_F(WriteFile, DirectoryInTheWayIsAnError) {
  fs::create_directories(path("a.txt/inside"));
  const auto written = write_file(path("a.txt"), "new");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().line(), HasSubstr("a directory lies where the file goes"));
}

TEST_F(WriteFile, ReportIntoAReadOnlyDirectoryNamesTheFile) {
  fs::permissions(directory_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  in_child(true, [&] {
    const auto written = write_report(sample_report(), directory_);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().line(), HasSubstr("cannot write '" + path(sinks().front().file_name) +
                                                  "': Permission denied; choose a directory"));
  });
}

TEST_F(WriteFile, ReportIntoAFileSaysThatItIsOne) {
  ASSERT_TRUE(write_file(path("out"), "a file"));
  for (const std::string& out : {path("out"), path("out/deeper")}) {
    const auto written = write_report(sample_report(), out);
    ASSERT_FALSE(written) << out;
    EXPECT_THAT(written.error().line(), HasSubstr("cannot write '" + out + "': Not a directory; a file lies where"));
  }
}

TEST_F(WriteFile, ReportStopsAtTheFirstError) {
  fs::create_symlink("/dev/full", path(".results.csv.partial"));
  const auto written = write_report(sample_report(), directory_);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().what, HasSubstr("results.csv"));
  EXPECT_FALSE(fs::exists(path("junit.xml"))) << "it would look like that of a whole run";
  EXPECT_FALSE(fs::exists(path("results.jsonl")));
}

}  // namespace
}  // namespace assay
