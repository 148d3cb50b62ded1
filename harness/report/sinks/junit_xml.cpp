// junit.xml: what CI systems show. One suite, a class per variant, a test per case.
//
// There is no common standard. This file is valid by the schemas of both Jenkins' xUnit plugin (junit-10.xsd) and Maven
// Surefire (surefire-test-report.xsd): the second one's root is a suite, without suites in it, its attributes are a
// closed list, and its times have three decimals at most.
//
// A bug is one failing test, by its simplest case, or dashboards would count it as often as cases show it. The other
// cases that fail by it are skipped tests, which say so and name it.
#include <fmt/format.h>

#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "harness/report/causes.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

// The causes of each row, first those whose simplest case it is.
using CausesOf = std::map<const ResultRow*, std::vector<const Cause*>>;

bool was_not_run(Kind kind) { return kind == Kind::rejected || kind == Kind::unsupported || kind == Kind::skipped; }

void set(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute) = printable(value).c_str();
}

// The conditions that failing cases share, a line for each cause.
std::string shared_text(const std::vector<const Cause*>& row_causes) {
  std::string text;
  for (const Cause* cause : row_causes)
    if (!cause->shared.empty()) text += cause->shared + "\n";
  return text;
}

bool is_simplest(const ResultRow& row, const std::vector<const Cause*>& row_causes) {
  return !row_causes.empty() && row_causes.front()->rows.front() == &row;
}

// The text has the smallest case of each cause, where this is not it.
std::string failure_text(const ResultRow& row, const std::vector<const Cause*>& row_causes) {
  std::string text = row.detail + "\n" + titled_fields(row, kJunit);
  for (const WorstElement& worst : row.worst)
    text += fmt::format("  {}{}: got {}, want {}, error/budget {}\n", worst.tensor, worst.index, number_text(worst.got),
                        number_text(worst.want), number_text(worst.error_over_budget));
  text += fmt::format("replay: {}\n", replay_command(row));
  for (const Cause* cause : row_causes)
    if (cause->rows.front() != &row)
      text += fmt::format("simplest: {}: {}\nreplay: {}\n", name(cause->kind), cause->detail,
                          replay_command(*cause->rows.front()));
  text += shared_text(row_causes);
  return printable(text);
}

std::string test_of(const ResultRow& row) {
  return fmt::format("{}{} on {}", row.verdict == Kind::mistrusted ? "sensitivity audit: " : "", row.line(),
                     row.device);
}

// Dashboards distinguish tests by class and name, so a name that is taken gets a number.
std::string name_of(const ResultRow& row, std::map<std::string, int>& taken) {
  const std::string test = test_of(row);
  const int number = ++taken[test];
  return number == 1 ? test : fmt::format("{} ({})", test, number);
}

void add_test(pugi::xml_node suite, const ResultRow& row, const std::string& test_name,
              const std::vector<const Cause*>& row_causes) {
  auto test = suite.append_child("testcase");
  set(test, "name", test_name);
  set(test, "classname", row.c.op + "." + row.c.variant);
  set(test, "time", fmt::format("{:.3f}", row.figures.or_zero("seconds")));
  if (is_simplest(row, row_causes)) {
    auto failure = test.append_child("failure");
    set(failure, "type", std::string(name(row.verdict)));
    const std::string shared = shared_text(row_causes);
    set(failure, "message",
        fmt::format("{}: {}{}{}", name(row.verdict), first_line(row.detail), shared.empty() ? "" : "; ",
                    first_line(shared)));
    failure.append_child(pugi::node_pcdata).set_value(failure_text(row, row_causes).c_str());
  } else if (is_failure(row.verdict)) {
    set(test.append_child("skipped"), "message",
        fmt::format("{}, a bug that is one failing test: {}; {}", name(row.verdict),
                    test_of(*row_causes.front()->rows.front()), first_line(row.detail)));
  } else if (was_not_run(row.verdict)) {
    set(test.append_child("skipped"), "message", fmt::format("{}: {}", name(row.verdict), row.detail));
  }
}

// CI systems show a run without a verdict as a test that could not be done.
void add_gap(pugi::xml_node suite, const Gap& gap) {
  auto test = suite.append_child("testcase");
  set(test, "classname", "run");
  set(test, "name", "is complete");
  set(test, "time", "0.000");
  auto error = test.append_child("error");
  set(error, "type", gap.type);
  set(error, "message", gap.why);
}

std::string render(const Report& report) {
  const std::vector<Cause> all_causes = causes(report.rows);
  CausesOf causes_of;
  for (const Cause& cause : all_causes) causes_of[cause.rows.front()].push_back(&cause);
  for (const Cause& cause : all_causes)
    for (const ResultRow* row : cause.rows)
      if (row != cause.rows.front()) causes_of[row].push_back(&cause);
  std::vector<const ResultRow*> tests;
  for (const ResultRow& row : report.rows)
    if (row.shrunk_from.empty() || is_simplest(row, causes_of[&row])) tests.push_back(&row);
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  auto suite = document.append_child("testsuite");
  int64_t failed = 0, skipped = 0;
  double seconds = 0;
  for (const ResultRow* row : tests) {
    const bool fails = is_simplest(*row, causes_of[row]);
    failed += fails ? 1 : 0;
    skipped += !fails && (is_failure(row->verdict) || was_not_run(row->verdict)) ? 1 : 0;
    seconds += row->figures.or_zero("seconds");
  }
  const auto gap = gap_of(report);
  set(suite, "name", report.info.suite.empty() ? "assay" : "assay " + report.info.suite);
  set(suite, "tests", fmt::to_string(tests.size() + (gap ? 1 : 0)));
  set(suite, "failures", fmt::to_string(failed));
  set(suite, "errors", gap ? "1" : "0");
  set(suite, "skipped", fmt::to_string(skipped));
  set(suite, "time", fmt::format("{:.3f}", seconds));
  std::map<std::string, int> taken;
  for (const ResultRow* row : tests) add_test(suite, *row, name_of(*row, taken), causes_of[row]);
  if (gap) add_gap(suite, *gap);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return std::move(text).str();
}

const RegisterSink kSink({"junit.xml", "junit", "a test per case, a failure per bug: for CI systems", render});

}  // namespace
}  // namespace assay
