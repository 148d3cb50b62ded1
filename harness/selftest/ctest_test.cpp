// Every test of every test program is known to ctest: one that is not would never run, and nothing else would show it.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string output_of(const std::string& command) {
  const selftest::Ran ran = selftest::run_command(command);
  EXPECT_EQ(ran.exit_code, 0) << command << "\n" << ran.err;
  return ran.out;
}

// Tests are the indented lines of --gtest_list_tests.
size_t tests_of(const fs::path& program) {
  const std::string list = output_of(program.string() + " --gtest_list_tests");
  const std::regex test("\n  [^ ]");
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(list.begin(), list.end(), test), std::sregex_iterator()));
}

// The tests of one program that ctest runs: single ones, each by its name, or all of them in so many shards.
struct Known {
  size_t single = 0;
  std::set<int> shards;
  size_t noted = 0;  // tests of which it is known what they ask for
  int shards_total = 0;
};

std::map<fs::path, Known> known_to_ctest() {
  const json listed = json::parse(output_of("ctest --test-dir " ASSAY_BUILD_DIR " --show-only=json-v1"));
  std::map<fs::path, Known> known;
  for (const json& test : listed.at("tests")) {
    if (!test.contains("command")) continue;  // a program that was not built, which ctest reports itself
    Known& program = known[fs::weakly_canonical(test.at("command").at(0).get<std::string>())];
    std::map<std::string, std::string> environment;
    for (const json& property : test.at("properties")) {
      if (property.at("name") == "ENVIRONMENT_MODIFICATION")
        program.noted += property.at("value").dump().find("ASSAY_ASKED=set:" ASSAY_BUILD_DIR) != std::string::npos;
      if (property.at("name") == "ENVIRONMENT")
        for (const std::string variable : property.at("value"))
          environment[variable.substr(0, variable.find('='))] = variable.substr(variable.find('=') + 1);
    }
    if (environment.contains("GTEST_TOTAL_SHARDS")) {
      program.shards_total = std::stoi(environment.at("GTEST_TOTAL_SHARDS"));
      program.shards.insert(std::stoi(environment.at("GTEST_SHARD_INDEX")));
    } else {
      ++program.single;
    }
  }
  return known;
}

TEST(Ctest, KnowsEveryTest) {
  auto known = known_to_ctest();
  for (const auto& entry : fs::directory_iterator(ASSAY_BUILD_DIR "/tests")) {
    const Known& program = known[fs::weakly_canonical(entry.path())];
    const bool asks = !entry.path().filename().string().starts_with("harness_simt_");  // they include nothing that does
    EXPECT_EQ(program.noted, asks ? program.single + program.shards.size() : 0) << entry.path();
    if (program.shards_total == 0) {
      EXPECT_EQ(program.single, tests_of(entry.path())) << entry.path();
      continue;
    }
    EXPECT_EQ(program.single, 0u) << entry.path();
    EXPECT_EQ(program.shards.size(), static_cast<size_t>(program.shards_total)) << entry.path();
    EXPECT_EQ(*program.shards.begin(), 0) << entry.path();
    EXPECT_EQ(*program.shards.rbegin(), program.shards_total - 1) << entry.path();
  }
}

// The tests that scripts/test --without runs are those that asked, and no list of somebody's.
TEST(Ctest, LabelsTestsByThePrograms) {
  const selftest::Scratch scratch;
  const std::string asked = scratch.path + "/asked";
  fs::create_directory(asked);
  std::ofstream(scratch.path + "/CTestTestfile.cmake")
      << "add_test(Suite/Asks.Nvcc/0 \"" ASSAY_SOURCE_DIR "/scripts/find_nvcc\")\n"
      << "set_tests_properties(Suite/Asks.Nvcc/0 PROPERTIES SKIP_RETURN_CODE 1)\n"
      << "add_test(Asks.Gdb \"" ASSAY_BUILD_DIR
         "/assay\" replay --under gdb softmax_forward/warp_per_row f32 rows=1 cols=1 fill=normal)\n"
      << "set_tests_properties(Asks.Gdb PROPERTIES WILL_FAIL ON ENVIRONMENT ASSAY_WITHOUT=gdb)\n"
      << "add_test(Asks.Nothing \"" ASSAY_BUILD_DIR "/assay\" --help)\n"
      << "set(tests Suite/Asks.Nvcc/0 Asks.Gdb Asks.Nothing)\nset(TEST_LISTS tests)\nset(ASKED " << asked << ")\n"
      << "include(" ASSAY_SOURCE_DIR "/harness/optional_programs.cmake)\n";
  const auto ctest = [&](const std::string& options) {
    return output_of("ctest --test-dir " + scratch.path + " " + options);
  };
  EXPECT_THAT(ctest("--print-labels"), testing::HasSubstr("No Labels"));
  EXPECT_THAT(ctest(""), testing::HasSubstr("100% tests passed"));
  const std::string listed = ctest("-N -L '^(nvcc|gdb)$'");
  EXPECT_THAT(listed, testing::AllOf(testing::HasSubstr(": Suite/Asks.Nvcc/0\n"), testing::HasSubstr(": Asks.Gdb\n"),
                                     testing::HasSubstr("Total Tests: 2\n")));
}

}  // namespace
}  // namespace assay
