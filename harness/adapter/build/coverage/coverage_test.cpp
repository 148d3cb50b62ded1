// Which lines gcov's tables say are not covered, and what `assay check --coverage` prints of them.
#include "harness/adapter/build/coverage/coverage.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using nlohmann::json;

TEST(Coverage, IsOfLinesThatNeverRanOrTookOneWayOnly) {
  const selftest::Scratch scratch;
  const std::string path = scratch.path + "/name.cu";
  std::ofstream(path) << "f() {\n  if (a) b();\n  if (c) d();\n  e();\n}\ng() {}\n";
  const auto function = [](std::string name, int first, int last, int count) {
    return json{{"name", name},
                {"demangled_name", "(anonymous namespace)::" + name + "<int>(int)"},
                {"start_line", first},
                {"end_line", last},
                {"execution_count", count}};
  };
  const auto line = [](int number, int count, std::vector<int> branches, std::string of = "f") {
    json at = {{"line_number", number}, {"count", count}, {"function_name", of}, {"branches", json::array()}};
    for (const int taken : branches) at["branches"].push_back({{"count", taken}, {"throw", false}});
    return at;
  };
  const json all = {{"files",
                     {{{"file", path},
                       {"functions", {function("f", 1, 5, 9), function("f", 1, 5, 1), function("g", 6, 6, 0)}},
                       {"lines",
                        {line(1, 9, {}), line(2, 9, {9, 0}), line(2, 1, {0, 1}), line(3, 10, {0, 10}), line(4, 0, {}),
                         line(6, 0, {}, "g")}}},
                      {{"file", "/usr/include/math.h"}, {"functions", json::array()}, {"lines", json::array()}}}}};
  const Coverage coverage = coverage_in(all, [&](const std::string& file) { return file == path; });
  std::vector<std::string> found;
  for (const UncoveredLine& each : coverage.uncovered)
    found.push_back(fmt::format("{}: {} {}/{} in {}", each.text, each.runs, each.ways_taken, each.ways, each.function));
  EXPECT_THAT(found, testing::ElementsAre("if (c) d();: 10 1/2 in (anonymous namespace)::f<int>(int)",
                                          "e();: 0 0/0 in (anonymous namespace)::f<int>(int)",
                                          "g() {}: 0 0/0 in (anonymous namespace)::g<int>(int)"))
      << "two instantiations share line 2";
  EXPECT_EQ(coverage.lines, 5) << "those of f, and g";
  EXPECT_EQ(coverage.lines_run, 3);
  EXPECT_EQ(coverage.ways, 4);
  EXPECT_EQ(coverage.ways_taken, 3);
  EXPECT_EQ(json(coverage).get<Coverage>(), coverage);
}

}  // namespace
}  // namespace assay
