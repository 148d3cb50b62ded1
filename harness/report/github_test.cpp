// Annotations: where they point, and that no text of a kernel or a file name gets out of its command.
#include "harness/report/github.h"

#include <gmock/gmock.h>

#include "harness/report/sample_report.h"

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

TEST(Github, OneLineForLikeFailures) {
  const std::string text = annotations({failing("a"), failing("b"), failing("c")});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_THAT(text, HasSubstr("%0A3 cases fail so\n"));
}

TEST(Github, PassesAreSilent) {
  EXPECT_THAT(annotations({row_of("sample_softmax", "mine", DType::f32, "rows=1", Kind::pass, 0.5)}), IsEmpty());
}

}  // namespace
}  // namespace assay
