// A report's way to a directory and back, and what an interrupted or damaged directory reads as.
#include "harness/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/device/device.h"
#include "harness/report/run_info.h"
#include "harness/report/test_golden.h"
#include "harness/report/test_sample_report.h"
#include "harness/report/text.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class ReadReport : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "assay_read_XXXXXX";
    directory_ = mkdtemp(pattern.data());
    ASSERT_TRUE(write_report(sample_report(), directory_));
  }
  void TearDown() override { fs::remove_all(directory_); }
  std::string rows() const { return directory_ + "/results.jsonl"; }
  void overwrite(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  std::string error() {
    const auto report = read_report(directory_);
    return report ? "no error" : report.error().line();
  }

  std::string directory_;
};

TEST_F(ReadReport, GivesBackWhatWasWritten) {
  const auto read = read_report(directory_);
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_EQ(to_json(read->info), to_json(sample_report().info));
  ASSERT_EQ(read->rows.size(), sample_report().rows.size());
  for (const size_t i :
       {0u, 3u, 4u, 7u})  // the row with nasty text has a byte that is no UTF-8, which JSON cannot hold
    EXPECT_EQ(to_json(read->rows[i]), to_json(sample_report().rows[i])) << i;
}

TEST_F(ReadReport, GivesBackTimingsAndWhatTheyWereMeasuredOn) {
  const Report timed = timed_report();
  ASSERT_TRUE(write_report(timed, directory_));
  const auto read = read_report(directory_);
  ASSERT_TRUE(read) << read.error().line();
  ASSERT_TRUE(read->info.gpu);
  EXPECT_EQ(read->info.gpu->multiprocessors, 132);
  EXPECT_EQ(read->info.gpu->memory_bytes_per_s, 4.8e12);
  ASSERT_EQ(read->info.roofs.size(), 3u);
  EXPECT_EQ(read->info.roofs[1].name, "bf16 GEMM");
  EXPECT_EQ(read->info.roofs[1].unit, "TFLOP/s");
  EXPECT_EQ(read->info.roofs[1].measured, 792);
  EXPECT_EQ(read->info.roofs[1].physical, 989);
  EXPECT_EQ(read->info.libraries, timed.info.libraries);
  ASSERT_EQ(read->rows.size(), timed.rows.size());
  for (size_t i = 0; i < timed.rows.size(); ++i) EXPECT_EQ(to_json(read->rows[i]), to_json(timed.rows[i])) << i;
}

TEST(RunInfoJson, HoldsTheGpuOnlyWhereThereWasOne) {
  nlohmann::json gpu = to_json(timed_report().info).at("gpu");
  for (const char* field : {"index", "name", "uuid", "capability", "driver", "runtime", "multiprocessors",
                            "memory_bytes", "l2_bytes", "sm_mhz", "memory_bytes_per_s"})
    EXPECT_EQ(gpu.erase(field), 1u) << field;
  EXPECT_TRUE(gpu.empty()) << gpu;
  const nlohmann::json without = to_json(sample_report().info);
  for (const char* field : {"gpu", "roofs", "libraries"}) EXPECT_FALSE(without.contains(field)) << field;
  const RunInfo back = *run_info_from_text(without.dump());
  EXPECT_FALSE(back.gpu);
  EXPECT_TRUE(back.roofs.empty() && back.libraries.empty());
}

TEST(RunInfoJson, MalformedGpusAndRoofsAreRefused) {
  const auto refused = [](const char* pointer, nlohmann::json value) {
    nlohmann::json info = to_json(timed_report().info);
    info[nlohmann::json::json_pointer(pointer)] = std::move(value);
    EXPECT_FALSE(run_info_from_text(info.dump())) << pointer;
  };
  refused("/gpu", nlohmann::json::object());
  refused("/gpu/l2_bytes", "much");
  refused("/roofs/0/measured", "high");
  refused("/roofs/1", nlohmann::json::object());
  refused("/libraries/cuBLAS", 13);
}

TEST_F(ReadReport, SkipsATornLastLine) {
  const std::string whole = text_of_file(rows());
  overwrite(rows(), whole.substr(0, whole.size() - 20));
  const auto read = read_report(directory_);
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_EQ(read->rows.size(), sample_report().rows.size() - 1);
}

TEST_F(ReadReport, KeepsALastLineThatOnlyLacksItsNewline) {
  const std::string whole = text_of_file(rows());
  overwrite(rows(), whole.substr(0, whole.size() - 1));
  EXPECT_EQ(read_report(directory_)->rows.size(), sample_report().rows.size());
}

TEST_F(ReadReport, NamesTheLineThatIsMalformed) {
  const std::string whole = text_of_file(rows());
  const size_t second = whole.find('\n') + 1;
  overwrite(rows(), whole.substr(0, second) + "{\"case\": 1}\n" + whole.substr(second));
  EXPECT_THAT(error(), HasSubstr("results.jsonl', line 2: "));
  overwrite(rows(), whole + "torn but ended\n");
  EXPECT_THAT(error(), HasSubstr("results.jsonl', line 9: "));
}

TEST_F(ReadReport, FilesOfOtherVersionsSayWhatToDo) {
  for (const std::string& path : {rows(), directory_ + "/run.json"}) {
    const std::string whole = text_of_file(path);
    const size_t at = whole.find("\"schema\":");
    const size_t end = whole.find_first_of(",}", at);
    overwrite(path, whole.substr(0, at) + "\"schema\": 2" + whole.substr(end));
    EXPECT_THAT(error(), HasSubstr("its schema version is 2, and this Assay reads version 1; use the Assay that"));
    overwrite(path, whole.substr(0, at) + "\"older\": 1" + whole.substr(end));
    EXPECT_THAT(error(),
                HasSubstr("it has no schema version, so an Assay before version 1 of the schema wrote it; run"));
    EXPECT_THAT(error(), HasSubstr(path));
    overwrite(path, whole);
  }
  overwrite(rows(), "{\"schema\": 2}");
  EXPECT_THAT(error(), HasSubstr("its schema version is 2")) << "the line is whole: it only lacks its newline";
}

TEST_F(ReadReport, RowsWithoutRunInfoAreOfARunThatDidNotEnd) {
  fs::remove(directory_ + "/run.json");
  const auto read = read_report(directory_);
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_EQ(read->info.status, kRunning);
}

TEST_F(ReadReport, DamagedRunInfoIsAnError) {
  overwrite(directory_ + "/run.json", "{}");
  EXPECT_THAT(error(), HasSubstr("run.json': "));
}

TEST_F(ReadReport, RunWithoutRowsIsEmpty) {
  overwrite(rows(), "");
  const auto read = read_report(directory_);
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_TRUE(read->rows.empty());
}

TEST_F(ReadReport, NoResultsIsAnErrorThatSaysWhatToName) {
  fs::remove(rows());
  EXPECT_EQ(error(), "cannot read '" + rows() + "'; name a directory that 'assay check --out' wrote");
  fs::create_directory(rows());
  EXPECT_THAT(error(), HasSubstr("cannot read"));
}

TEST(Text, HintsAreThoseOfAVariantsFirstCaseThatHasAny) {
  std::vector<ResultRow> rows(3, row_of("op", "v", DType::f32, "n=1", Kind::pass, 0));
  EXPECT_EQ(hints_text(rows), "no hints\n");
  rows[1].hints = {"shared s[0]: write by thread (0,0,0) (v.cu:3), which no thread of the block reads"};
  rows[2].hints = {"another"};
  EXPECT_EQ(hints_text(rows), "hints in 2 cases of op/v; in " + rows[1].line() + "\n  " + rows[1].hints[0] + "\n");
}

}  // namespace
}  // namespace assay
