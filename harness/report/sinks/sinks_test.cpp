// Every sink against its golden file, and the laws of the formats: what is written can be read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>

#include "harness/base/embedded.h"
#include "harness/report/test_golden.h"
#include "harness/report/test_sample_report.h"
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
    if (name == "data" || name == "summary" || name == "outcome" || name == "headline") continue;
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
  const auto suite = document.child("testsuite");
  EXPECT_EQ(suite.select_nodes("testcase").size(), 9u);  // 8 rows, of which one is a shrunk failure, and the run
  EXPECT_EQ(suite.attribute("tests").as_int(), 9);
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  EXPECT_EQ(suite.select_nodes("//error").size(), 1u) << "the run was interrupted";
  EXPECT_EQ(suite.attribute("failures").as_int(), 3);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 2);
  EXPECT_EQ(suite.select_nodes("//failure").size(), 3u);
  EXPECT_EQ(suite.select_nodes("//skipped").size(), 2u);
  const std::string mismatch = suite.select_node("//failure[@type='MISMATCH']").node().text().get();
  EXPECT_THAT(mismatch, testing::HasSubstr("replay: assay replay 'sample_attention/flash_tiled bf16 S=65 "));
}

struct Allowed {
  std::vector<std::string> attributes;  // all that there may be, those that there must be in front
  size_t mandatory = 0;
  std::vector<std::string> children;
};

// The attributes and children that both Jenkins' junit-10.xsd and Maven's surefire-test-report.xsd allow in the
// elements used.
const std::map<std::string, Allowed> kBothSchemas{
    {"testsuite", {{"name", "tests", "failures", "errors", "skipped", "time"}, 5, {"testcase"}}},
    {"testcase", {{"name", "time", "classname"}, 2, {"failure", "error", "skipped"}}},
    {"failure", {{"type", "message"}, 1, {}}},
    {"error", {{"type", "message"}, 1, {}}},
    {"skipped", {{"message"}, 0, {}}}};

void expect_allowed(const pugi::xml_node& node) {
  const Allowed& allowed = kBothSchemas.at(node.name());
  for (const auto& attribute : node.attributes()) {
    EXPECT_THAT(allowed.attributes, testing::Contains(attribute.name())) << node.name();
    const std::string form = std::string(attribute.name()) == "time" ? "[0-9]+\\.[0-9][0-9][0-9]" : ".*";
    EXPECT_THAT(std::string(attribute.value()), testing::MatchesRegex(form));
  }
  for (size_t i = 0; i < allowed.mandatory; ++i)
    EXPECT_TRUE(node.attribute(allowed.attributes[i].c_str())) << node.name() << " lacks " << allowed.attributes[i];
  EXPECT_LE(node.select_nodes("*").size(), node.name() == std::string("testcase") ? 1u : 1000u);
  for (const auto& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    EXPECT_THAT(allowed.children, testing::Contains(child.name()));
    expect_allowed(child);
  }
}

TEST(JunitXml, IsWhatJenkinsAndSurefireAllow) {
  for (const Report& report : {sample_report(), timed_report(), Report{}}) {
    pugi::xml_document document;
    ASSERT_TRUE(document.load_string(render("junit.xml", report).c_str()));
    ASSERT_STREQ(document.document_element().name(), "testsuite");
    expect_allowed(document.document_element());
  }
}

TEST(JunitXml, NoTwoTestsHaveOneName) {
  Report report = sample_report();
  for (const ResultRow& row : sample_report().rows)  // the same cases on another device, and once more
    for (const char* device : {"cpu-checked", "cpu"}) report.rows.push_back(row), report.rows.back().device = device;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render("junit.xml", report).c_str()));
  std::set<std::string> names;
  const auto tests = document.select_nodes("//testcase");
  for (const auto& test : tests)
    names.insert(test.node().attribute("classname").value() + std::string(".") + test.node().attribute("name").value());
  EXPECT_EQ(names.size(), tests.size());
  EXPECT_THAT(names, testing::Contains("sample_softmax.warp_per_row.sample_softmax/warp_per_row f32 rows=3 cols=65 "
                                       "fill=normal seed=7 schedule=0 on cpu-checked"));
}

TEST(JunitXml, FailsOnceForABugInEveryDtypeAndOnEveryDevice) {
  Report report = sample_report();
  const ResultRow original = report.rows[3], smallest = report.rows[4];
  report.rows = {original, smallest};
  for (const DType dtype : {DType::f32, DType::f16})
    for (const char* device : {"cpu", "cpu-checked"})
      report.rows.push_back(original), report.rows.back().c.dtype = dtype, report.rows.back().device = device;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render("junit.xml", report).c_str()));
  EXPECT_EQ(document.select_nodes("//failure").size(), 1u);
  EXPECT_EQ(document.select_node("//failure/..").node().attribute("name").value(), smallest.line() + " on cpu");
  const auto others = document.select_nodes("//skipped");
  EXPECT_EQ(others.size(), 5u);
  for (const auto& other : others)
    EXPECT_THAT(other.node().attribute("message").value(),
                testing::StartsWith("MISMATCH, a bug that is one failing test: " + smallest.line() + " on cpu; dq: "));
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
  EXPECT_EQ(nlohmann::json::parse(data).at("failures").size(), 3u);  // nothing in it ended the script early
}

}  // namespace
}  // namespace assay
