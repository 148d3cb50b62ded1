// Every test of every test program is known to ctest: one that is not would never run, and nothing else would show it.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  const selftest::Ran ran = selftest::run_command(command);
  EXPECT_EQ(ran.exit_code, 0) << command << "\n" << ran.err;
  return ran.out;
}

// Tests are the indented lines of --gtest_list_tests.
int tests_of(const fs::path& program) {
  const std::string list = output_of(program.string() + " --gtest_list_tests");
  const std::regex test("\n  [^ ]");
  return static_cast<int>(std::distance(std::sregex_iterator(list.begin(), list.end(), test), std::sregex_iterator()));
}

TEST(Ctest, KnowsEveryTest) {
  int tests = 0;
  for (const auto& entry : fs::directory_iterator(ASSAY_BUILD_DIR "/tests")) tests += tests_of(entry.path());
  const std::string known = output_of("ctest --test-dir " ASSAY_BUILD_DIR " -N");
  std::smatch total;
  ASSERT_TRUE(std::regex_search(known, total, std::regex("Total Tests: ([0-9]+)"))) << known;
  EXPECT_EQ(std::stoi(total[1]), tests);
}

}  // namespace
}  // namespace assay
