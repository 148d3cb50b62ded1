// junit.xml: what CI systems show. A suite per op and dtype, a test per case.
//
// A shrunk failure is no test of its own, or dashboards would count the failure twice: it is named in the failure that
// it came from. A MISTRUSTED row repeats the case line of a test that passed, so it gets a name of its own.
#include <fmt/format.h>

#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

using Shrunk = std::multimap<std::string, const ResultRow*>;  // by original case line

bool was_not_run(Kind kind) { return kind == Kind::rejected || kind == Kind::unsupported || kind == Kind::skipped; }

void set(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute) = printable(value).c_str();
}

std::string failure_text(const ResultRow& row, const Shrunk& shrunk) {
  std::string text = row.detail + "\n" + titled_fields(row, kJunit);
  for (const WorstElement& worst : row.worst)
    text += fmt::format("  {}{}: got {}, want {}, error/budget {}\n", worst.tensor, worst.index, number_text(worst.got),
                        number_text(worst.want), number_text(worst.error_over_budget));
  text += fmt::format("replay: {}\n", replay_command(row));
  const auto [begin, end] = shrunk.equal_range(row.line());
  for (auto at = begin; at != end && row.verdict != Kind::mistrusted; ++at)
    text += fmt::format("shrunk: {}: {}\nreplay: {}\n", name(at->second->verdict), at->second->detail,
                        replay_command(*at->second));
  return printable(text);
}

void add_test(pugi::xml_node suite, const ResultRow& row, const Shrunk& shrunk) {
  auto test = suite.append_child("testcase");
  set(test, "classname", row.c.op + "." + row.c.variant);
  set(test, "name", (row.verdict == Kind::mistrusted ? "sensitivity audit: " : "") + row.line());
  set(test, "time", fmt::format("{:.3f}", row.figures.or_zero("seconds")));
  if (is_failure(row.verdict)) {
    auto failure = test.append_child("failure");
    set(failure, "type", std::string(name(row.verdict)));
    set(failure, "message", fmt::format("{}: {}", name(row.verdict), first_line(row.detail)));
    failure.append_child(pugi::node_pcdata).set_value(failure_text(row, shrunk).c_str());
  } else if (was_not_run(row.verdict)) {
    set(test.append_child("skipped"), "message", fmt::format("{}: {}", name(row.verdict), row.detail));
  }
}

struct Tally {
  int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  void add(const ResultRow& row) {
    ++tests;
    failures += is_failure(row.verdict) ? 1 : 0;
    skipped += was_not_run(row.verdict) ? 1 : 0;
    seconds += row.figures.or_zero("seconds");
  }
  void write(pugi::xml_node node) const {
    set(node, "tests", fmt::to_string(tests));
    set(node, "failures", fmt::to_string(failures));
    set(node, "errors", fmt::to_string(errors));
    set(node, "skipped", fmt::to_string(skipped));
    set(node, "time", fmt::format("{:.3f}", seconds));
  }
};

// The tests by suite name. A shrunk row whose original is missing is a test, so that no failure is lost.
std::map<std::string, std::vector<const ResultRow*>> suites_of(const Report& report, Shrunk& shrunk) {
  std::map<std::string, std::vector<const ResultRow*>> suites;
  std::map<std::string, bool> is_failing_case;
  for (const ResultRow& row : report.rows)
    if (is_case(row) && is_failure(row.verdict)) is_failing_case[row.line()] = true;
  for (const ResultRow& row : report.rows) {
    if (!row.shrunk_from.empty() && is_failing_case.count(row.shrunk_from) > 0) {
      shrunk.emplace(row.shrunk_from, &row);
    } else {
      suites[fmt::format("{}/{}", row.c.op, name(row.c.dtype))].push_back(&row);
    }
  }
  return suites;
}

// CI systems show a run that is not complete as a test that could not be done.
void add_incomplete(pugi::xml_node root, const std::string& why, Tally& all) {
  if (why.empty()) return;
  auto suite = root.append_child("testsuite");
  set(suite, "name", "run");
  Tally tally;
  tally.tests = tally.errors = 1;
  auto test = suite.append_child("testcase");
  set(test, "classname", "run");
  set(test, "name", "is complete");
  set(test, "time", "0.000");
  auto error = test.append_child("error");
  set(error, "type", "INCOMPLETE");
  set(error, "message", why);
  tally.write(suite);
  ++all.tests;
  ++all.errors;
}

std::string render(const Report& report) {
  Shrunk shrunk;
  const auto suites = suites_of(report, shrunk);
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  auto root = document.append_child("testsuites");
  set(root, "name", "assay " + report.info.suite);
  Tally all;
  for (const auto& [suite_name, rows] : suites) {
    Tally tally;
    auto suite = root.append_child("testsuite");
    set(suite, "name", suite_name);
    for (const ResultRow* row : rows) {
      tally.add(*row);
      all.add(*row);
      add_test(suite, *row, shrunk);
    }
    tally.write(suite);
  }
  add_incomplete(root, incomplete_text(report), all);
  all.write(root);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return std::move(text).str();
}

const RegisterSink kSink({"junit.xml", "junit", "a test per case, a suite per op and dtype: for CI systems", render});

}  // namespace
}  // namespace assay
