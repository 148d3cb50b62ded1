// `assay sharpness`: the table, the file, one case line, and mistakes.
#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "harness/cli/test_usage_error.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

std::string some_op() { return all_ops().front().name; }

TEST(SharpnessCommand, PrintsARowForEachDtypeAndOutputAndWritesTheSame) {
  const Scratch scratch;
  const Ran ran = run("assay", "sharpness " + some_op() + " --cases 3 --csv " + scratch.path + "/table.csv");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Contract& op = all_ops().front();
  const std::string csv = read_text(scratch.path + "/table.csv");
  EXPECT_THAT(csv, StartsWith("op,dtype,output,rule,smallest_uniform_error,"));
  for (const DType dtype : op.dtypes)
    for (const char* rule : {"assay", "torch", "2x", "1e-2"})
      EXPECT_THAT(csv, ContainsRegex("\n" + op.name + "," + std::string(name(dtype)) + ",[a-z]+," + rule + ","));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("torch"), HasSubstr(op.name), HasSubstr("2^-")));
}

TEST(SharpnessCommand, TakesACaseLineOfAnySizeAndRepeatsItself) {
  const std::string line = "'rms_norm_backward/any f32 G=4096 dim=2 eps=1e-5 init=zero fill=normal seed=1'";
  const Ran ran = run("assay", "sharpness " + line);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("rms_norm_backward +f32 +dw "));
  EXPECT_EQ(run("assay", "sharpness " + line).out, ran.out);
}

// The rows of a page's table, by op, dtype and output: the figures of each, as text.
std::map<std::string, std::vector<std::string>> rows_of(const std::string& page) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;)
      if (word != "|") cells.push_back(word);
    if (line.starts_with("| ") && cells.size() == 15)
      rows[cells[0] + " " + cells[1] + " " + cells[2]] = {cells.begin() + 3, cells.end()};
  }
  return rows;
}

// 2^-k counts as k, so that both kinds of figures may differ by one: another libm moves a few of them by less.
double figure(const std::string& text) {
  const std::string number = text.starts_with("2^-") ? text.substr(3) : text;
  return number == "none" || number == "-" ? -100 : std::stod(number);
}

TEST(SharpnessPage, HasARowForEachOutput) {
  const Scratch scratch;
  const Ran ran = run("assay", "sharpness --cases 2 --markdown " + scratch.path + "/page.md");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto measured = rows_of(read_text(scratch.path + "/page.md"));
  const auto kept = rows_of(read_text(ASSAY_SOURCE_DIR "/reports/sharpness.md"));
  ASSERT_GT(measured.size(), all_ops().size());
  for (const auto& [key, figures] : measured)
    EXPECT_TRUE(kept.contains(key)) << key
                                    << " is missing in reports/sharpness.md, whose first lines say how it is written";
  for (const auto& [key, figures] : kept)
    EXPECT_NE(find_op(key.substr(0, key.find(' '))), nullptr)
        << key << " is in reports/sharpness.md, and no such op is";
}

TEST(SharpnessPage, IsWhatTheBudgetsTellToday) {
  const Scratch scratch;
  std::string ops;
  for (size_t i = 0; const Contract& op : all_ops())
    if (i++ % 20 == 0) ops += op.name + " ";
  const Ran ran = run("assay", "sharpness " + ops + "--markdown " + scratch.path + "/page.md");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto kept = rows_of(read_text(ASSAY_SOURCE_DIR "/reports/sharpness.md"));
  const auto measured = rows_of(read_text(scratch.path + "/page.md"));
  EXPECT_GT(measured.size(), 3u);
  for (const auto& [key, figures] : measured) {
    const auto row = kept.find(key);
    ASSERT_NE(row, kept.end()) << key;
    for (size_t i = 0; i < figures.size(); ++i)
      EXPECT_NEAR(figure(figures[i]), figure(row->second[i]), 1.0)
          << key << ", figure " << i + 1 << ": write reports/sharpness.md anew, as its first lines say";
  }
}

TEST(SharpnessCommand, PrintsTheRangesOfAnOpAndWritesThem) {
  const Scratch scratch;
  const Ran ran = run("assay", "sharpness softmax_forward --ranges --cases 6 --markdown " + scratch.path + "/page.md");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("softmax_forward +x of exp\\(x\\) .*exp is 0 [0-9]+/[0-9]+/[0-9]+, "));
  EXPECT_THAT(ran.out, ContainsRegex("[0-9]+ functions of 1 ops"));
  EXPECT_THAT(read_text(scratch.path + "/page.md"), HasSubstr("\n| softmax_forward | x of exp(x) | "));
  EXPECT_THAT(run("assay", "sharpness adamw --ranges --cases 30").out, HasSubstr("(eps is at least 1e-8)"));
}

TEST(SharpnessCommand, RefusesWhatItDoesNotKnow) {
  expect_usage_error(run("assay", "sharpness softmax_foward"), "no op is called 'softmax_foward'", "softmax_forward");
  expect_usage_error(run("assay", "sharpness --ranges 'rope_table/any f32 D=2'"), "case line", "name its op");
  expect_usage_error(run("assay", "sharpness --suite nowhere"), "nowhere", "");
  expect_usage_error(run("assay", "sharpness --cases 0"), "--cases", "");
  expect_usage_error(run("assay", "sharpness 'softmax_forward/any f32 rows=x'"), "rows", "");
}

}  // namespace
}  // namespace assay
