// Annotations: where they point, and that no text of a kernel or a file name gets out of its command.
#include "harness/report/github.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

ResultRow failing(const std::string& detail) {
  return row_of("sample_softmax", "mine", DType::f32, "rows=1", Kind::race, 0, detail);
}

std::string annotations(std::vector<ResultRow> rows, const std::string& source = "src/my_kernels.cu") {
  Report report;
  report.info.folder = "/work here";
  report.info.status = "complete";
  report.rows = std::move(rows);
  for (ResultRow& row : report.rows) row.origin.source = source;
  return github_annotations(report);
}

// A command's head, up to its message.
std::string head(const std::string& text) { return text.substr(0, text.find("::", 2)); }

TEST(Github, NamesFileLineCaseAndDetail) {
  EXPECT_EQ(annotations({failing("shared a[0]: written (my_kernels.cu:31), read (my_kernels.cu:40)")}),
            "::error file=src/my_kernels.cu,line=31,title=RACE sample_softmax/mine f32::"
            "sample_softmax/mine f32 rows=1 fill=normal seed=7 schedule=0%0A"
            "shared a[0]: written (my_kernels.cu:31), read (my_kernels.cu:40)%0A"
            "assay replay 'sample_softmax/mine f32 rows=1 fill=normal seed=7 schedule=0' --source src/my_kernels.cu "
            "--op sample_softmax\n");
}

TEST(Github, PointsToTheKernelsOwnFileFirst) {
  EXPECT_THAT(head(annotations({failing("in rows.cuh:7, from my_kernels.cu:31")})),
              HasSubstr("file=src/my_kernels.cu,line=31,"));
  EXPECT_THAT(head(annotations({failing("in rows.cuh:7")})), HasSubstr("file=rows.cuh,line=7,"));
  EXPECT_THAT(head(annotations({failing("in rows.cuh:7")}, "")), HasSubstr("file=rows.cuh,line=7,"));
  EXPECT_EQ(head(annotations({failing("y: got 1:2")})),
            "::error file=src/my_kernels.cu,title=RACE sample_softmax/mine f32");
  EXPECT_THAT(head(annotations({failing("at:rows.cuh:7")})), HasSubstr("file=rows.cuh,line=7,"));
  EXPECT_THAT(head(annotations({failing(".cu:7 a.cu:7b a.cu: 7 a.rs:7")})), Not(HasSubstr("line=")));
  EXPECT_EQ(head(annotations({failing("y: got 1:2")}, "")), "::error title=RACE sample_softmax/mine f32");
}

TEST(Github, FilesAreSeenFromTheFolderOfTheRun) {
  const auto file = [](const std::string& source) { return head(annotations({failing("y is wrong")}, source)); };
  EXPECT_THAT(file("/work here/src/my_kernels.cu"), HasSubstr("file=src/my_kernels.cu,"));
  EXPECT_THAT(file("/work/my_kernels.cu"), HasSubstr("file=/work/my_kernels.cu,"));
}

TEST(Github, NoTextBeginsASecondCommand) {
  const std::string text = annotations({failing("50%\n::error file=forged.cu::\r\n::set-output name=x::\x1b[31m %0A")},
                                       "a,b:c%\n::error.cu");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, AllOf(StartsWith("::error file=a%2Cb%3Ac%25%0A%3A%3Aerror.cu,title="), EndsWith("\n")));
  EXPECT_THAT(text, HasSubstr("%0A50%25%0A::error file=forged.cu::%0D%0A::set-output name=x::\\x1b[31m %250A%0A"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\r")), Not(HasSubstr("\x1b"))));
}

// A kernel's assertion prints what it likes.
TEST(Github, LongDetailsHaveTheirPlace) {
  const std::string longest(300'000, 'a');
  EXPECT_THAT(annotations({failing(longest + " in my_kernels.cu:31 " + longest + ":")}), HasSubstr(",line=31,"));
  EXPECT_THAT(annotations({failing(longest + ".cu:31")}), HasSubstr("a.cu,line=31,"));
  EXPECT_THAT(annotations({failing("a.cu:" + std::string(300'000, '1'))}), Not(HasSubstr("line=")));
}

TEST(Github, OneLineForEachBug) {
  const ResultRow wrong =
      row_of("sample_softmax", "mine", DType::f32, "rows=1", Kind::mismatch, 2, "y: 3 of 41 are wrong");
  const std::string text =
      annotations({failing("a (a.cu:3)"), failing("b (a.cu:3)"), failing("c (a.cu:3)"), wrong, failing("d (a.cu:4)")});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_THAT(text, HasSubstr("%0Aseen on cpu as MISMATCH: y: 3 of 41 are wrong"));
  EXPECT_THAT(text, HasSubstr("%0A4 cases fail so\n"));
}

// The tests use a repository on disk, so that there is something to find.
class GithubPaths : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "assay_github_XXXXXX";
    root = std::filesystem::canonical(mkdtemp(pattern.data()));
    std::filesystem::create_directories(root / ".git");
    std::filesystem::create_directories(root / "src");
    std::ofstream(root / "src/mine.cu")
        << "#include <cuda.h>\n// __global__ void mine()\n__global__ void other();\n"
           "template <class T>\n__global__ void __launch_bounds__(256)\nmine(T* y) {}\n";
    std::ofstream(root / "src/rows.cuh") << "\n";
  }
  void TearDown() override {
    unsetenv("GITHUB_WORKSPACE");
    std::filesystem::remove_all(root);
  }
  std::string place(const std::string& detail) const {
    const std::string text = head(annotations({failing(detail)}, root / "src/mine.cu"));
    return text.substr(8, text.find(",title") - 8);
  }
  std::filesystem::path root;
};

TEST_F(GithubPaths, AreRelativeToTheRepository) {
  EXPECT_EQ(place("in mine.cu:3"), "file=src/mine.cu,line=3");
  EXPECT_EQ(place("in rows.cuh:1"), "file=src/rows.cuh,line=1");
  setenv("GITHUB_WORKSPACE", (root / "src").c_str(), 1);
  EXPECT_EQ(place("in mine.cu:3"), "file=mine.cu,line=3");
  setenv("GITHUB_WORKSPACE", "/elsewhere", 1);
  EXPECT_EQ(place("in mine.cu:3"), "file=" + (root / "src/mine.cu").string() + ",line=3");
}

TEST_F(GithubPaths, WhatNamesNoLinePointsToTheKernel) {
  EXPECT_EQ(place("y: 3 of 41 elements are wrong"), "file=src/mine.cu,line=5");
}

TEST(Github, PassesAreSilent) {
  EXPECT_THAT(annotations({row_of("sample_softmax", "mine", DType::f32, "rows=1", Kind::pass, 0.5)}), IsEmpty());
}

}  // namespace
}  // namespace assay
