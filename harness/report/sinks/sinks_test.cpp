// Every sink against its golden file, and the laws of the formats: what is written can be read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "harness/base/embedded.h"
#include "harness/report/golden.h"
#include "harness/report/sample_report.h"
#include "harness/report/text.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

std::string render(const std::string& file_name, const Report& report) {
  for (const Sink& sink : sinks())
    if (sink.file_name == file_name) return sink.render(report);
  ADD_FAILURE() << "no sink writes " << file_name;
  return "";
}

// RFC 4180, as a spreadsheet reads it.
std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      records.back().emplace_back();
    } else if (!quoted && text[i] == '\n') {
      records.emplace_back(1);
    } else {
      field += text[i];
    }
  }
  records.pop_back();  // what follows the last newline
  return records;
}

// report.html without the texts that are the same in every report, so that the golden file shows frame and data.
std::string without_assets(std::string page) {
  const std::string frame = embedded_file("report.html");
  for (size_t open = frame.find("{{"); open != std::string::npos; open = frame.find("{{", open + 2)) {
    const std::string name = frame.substr(open + 2, frame.find("}}", open) - open - 2);
    if (name == "data" || name == "summary") continue;
    const std::string asset = embedded_file(name);
    const size_t at = page.find(asset);
    EXPECT_NE(at, std::string::npos) << name << " is not in the page";
    if (at != std::string::npos) page.replace(at, asset.size(), "(" + name + ")");
  }
  return page;
}

TEST(Sinks, AreSortedAndEachHasAGoldenFile) {
  std::vector<std::string> names;
  for (const Sink& sink : sinks()) names.push_back(sink.file_name);
  EXPECT_THAT(names, testing::IsSupersetOf({"junit.xml", "report.html", "results.csv", "results.jsonl", "run.json"}));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const Sink& sink : sinks()) {
    const auto text_of = [&](const Report& report) {
      const std::string text = sink.render(report);
      return sink.file_name == "report.html" ? without_assets(text) : text;
    };
    expect_golden(text_of(sample_report()), sink.file_name);
    expect_golden(text_of(timed_report()), "timed_" + sink.file_name);
  }
}

TEST(Sinks, RenderAnEmptyReport) {
  for (const Sink& sink : sinks()) EXPECT_NO_THROW(sink.render(Report{})) << sink.file_name;
}

TEST(ResultsCsv, DoesNotDependOnTheClock) {
  Report later = sample_report();
  later.info.started = "2027-01-01T00:00:00Z";
  for (ResultRow& row : later.rows) row.figures["seconds"] *= 3;
  EXPECT_EQ(render("results.csv", sample_report()), render("results.csv", later));
}

// The fields of a record by the names in the first one, without those that are empty.
std::map<std::string, std::string> by_name(const std::vector<std::vector<std::string>>& records, size_t record) {
  std::map<std::string, std::string> fields;
  for (size_t i = 0; i < records.at(record).size(); ++i)
    if (!records[record][i].empty()) fields[records[0].at(i)] = records[record][i];
  return fields;
}

TEST(ResultsCsv, HoldsTheFiguresOfATiming) {
  const auto records = parse_csv(render("results.csv", timed_report()));
  auto throttled = by_name(records, 14);  // the fifth case's second variant
  EXPECT_EQ(throttled["of_roof"], "0.837737");
  EXPECT_EQ(throttled["roof"], "bf16 GEMM 792 TFLOP/s");
  EXPECT_EQ(throttled["vendor"], "sample_product/vendor_gemm");
  EXPECT_EQ(throttled["speedup"], "0.989474");
  EXPECT_EQ(throttled["samples"], "3");
  EXPECT_EQ(throttled["discarded"], "1");
  EXPECT_FALSE(by_name(records, 17).contains("median_us")) << "its output was wrong";
}

RC_GTEST_PROP(ResultsCsv, ParsesBackToItsFields, (const std::string& detail, const std::string& variant)) {
  Report report;
  report.info.status = "complete";
  report.rows.push_back(row_of("op", variant, DType::f16, "n=1", Kind::mismatch, 1.25, detail));
  report.rows.push_back(row_of("op", "plain", DType::f16, "n=1", Kind::pass, 0.5));
  const auto records = parse_csv(render("results.csv", report));
  RC_ASSERT(records.size() == 3u);
  RC_ASSERT(records[1].size() == records[0].size());
  RC_ASSERT(records[2].size() == records[0].size());
  std::map<std::string, std::string> want{{"schema", std::to_string(kSchema)},
                                          {"case", printable(report.rows[0].line())},
                                          {"op", "op"},
                                          {"variant", printable(variant)},
                                          {"dtype", "f16"},
                                          {"device", "cpu"},
                                          {"verdict", "MISMATCH"},
                                          {"detail", printable(detail)},
                                          {"replay", printable(replay_command(report.rows[0]))},
                                          {"error_over_budget", "1.25"}};
  std::erase_if(want, [](const auto& field) { return field.second.empty(); });
  RC_ASSERT(by_name(records, 1) == want);
}

TEST(JunitXml, IsWellFormedAndCountsEveryCaseOnce) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render("junit.xml", sample_report()).c_str()));
  const auto root = document.child("testsuites");
  EXPECT_EQ(root.select_nodes("//testcase").size(), 8u);  // 8 rows, of which one is a shrunk failure
  EXPECT_EQ(root.attribute("tests").as_int(), 8);
  EXPECT_EQ(root.attribute("errors").as_int(), 1);
  EXPECT_EQ(root.select_nodes("//error").size(), 1u) << "the run was interrupted";
  EXPECT_EQ(root.attribute("failures").as_int(), 3);
  EXPECT_EQ(root.attribute("skipped").as_int(), 1);
  EXPECT_EQ(root.select_nodes("//failure").size(), 3u);
  EXPECT_EQ(root.select_nodes("//skipped").size(), 1u);
  const std::string mismatch = root.select_node("//failure[@type='MISMATCH']").node().text().get();
  EXPECT_THAT(mismatch, testing::HasSubstr("replay: assay replay 'sample_attention/flash_tiled bf16 S=65 "));
}

TEST(JunitXml, KeepsAShrunkFailureWhoseOriginalIsMissing) {
  Report report = sample_report();
  report.rows = {report.rows[4]};
  EXPECT_THAT(render("junit.xml", report), testing::HasSubstr("failures=\"1\""));
}

RC_GTEST_PROP(JunitXml, SurvivesAnyDetail, (const std::string& detail)) {
  Report report;
  report.rows.push_back(row_of("op", "variant", DType::f32, "n=1", Kind::crash, 0, detail));
  pugi::xml_document document;
  RC_ASSERT(document.load_string(render("junit.xml", report).c_str(), pugi::parse_default | pugi::parse_ws_pcdata));
  const std::string text = document.select_node("//failure").node().text().get();
  RC_ASSERT(text.substr(0, printable(detail).size()) == printable(detail));
}

TEST(ReportHtml, HoldsNoMarkupOfTheData) {
  const std::string page = without_assets(render("report.html", sample_report()));
  EXPECT_EQ(page.find("<script>document.title"), std::string::npos);
  const size_t begin = page.find("id=\"data\">") + 10;
  const std::string data = page.substr(begin, page.find("</script>", begin) - begin);
  EXPECT_EQ(nlohmann::json::parse(data).at("failures").size(), 4u);  // nothing in it ended the script early
}

}  // namespace
}  // namespace assay
