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

// What ctest runs of one program: single tests, each by its name, or all of them in so many shards.
struct Known {
  size_t single = 0;
  std::set<int> shards;
  int shards_total = 0;
};

std::map<fs::path, Known> known_to_ctest() {
  const json listed = json::parse(output_of("ctest --test-dir " ASSAY_BUILD_DIR " --show-only=json-v1"));
  std::map<fs::path, Known> known;
  for (const json& test : listed.at("tests")) {
    if (!test.contains("command")) continue;  // a program that was not built, which ctest reports itself
    Known& program = known[fs::weakly_canonical(test.at("command").at(0).get<std::string>())];
    std::map<std::string, std::string> environment;
    for (const json& property : test.at("properties"))
      if (property.at("name") == "ENVIRONMENT")
        for (const std::string variable : property.at("value"))
          environment[variable.substr(0, variable.find('='))] = variable.substr(variable.find('=') + 1);
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

}  // namespace
}  // namespace assay
